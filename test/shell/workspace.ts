import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { shellEnvironment } from "../../packages/pegboard/src/node/shell/environment.ts";
import { createFolder } from "../../packages/pegboard/src/node/shell/folder.ts";
import type { Folder } from "../../packages/pegboard/src/tools/shell/folder.ts";
import { askConfined, makeFolder } from "./confinement.ts";
import type { Commands, Effects } from "./inside/run-commands.ts";

/** A workspace, with things outside of it that no command may touch, and canaries: programs that none may start. */
export interface TrialWorkspace extends Disposable {
  readonly root: string;
  readonly folder: Folder;
  /** A file outside that nobody may read. */
  readonly secret: string;
  /** Runs commands confined, each in the workspace as it is at first: what each of them did. */
  run(commands: readonly (readonly string[])[], options?: Pick<Commands, "output">): Promise<readonly Effects[]>;
}

const FILES: Readonly<Record<string, string>> = {
  "workspace/a.txt": "one two\nthree\n",
  "workspace/b.txt": "b\n",
  "workspace/sub/c.txt": "c\n",
  "workspace/sub/d.txt": "d\n",
  "workspace/data.json": `{"a":[1,2]}\n`,
  "workspace/a.ts": "export const a: number = 1;\n",
  "workspace/tsconfig.json": `{"compilerOptions":{"noLib":true,"types":[]},"files":["a.ts"]}\n`,
  "workspace/package.json": `{"name":"project","version":"1.0.0","scripts":{"test":"true","build":"true"}}\n`,
  "workspace/Makefile": "all:\n\t@true\n",
  "outside/secret.txt": "what nobody may read\n",
  "home/.keep": "",
};

const CANARY = `#!/bin/sh\necho "$0 $*" >> /tmp/started\n`;

/** What programs start when they are told to show, edit, sign, send or fetch something. */
const HELPERS =
  "canary ssh rsh rmt gpg gpg2 gpgsm gpgv vi vim view nano emacs editor sensible-editor less more pager w3m lynx links open xdg-open firefox chromium www-browser sensible-browser sendmail mail git-canary git-remote-canary git-merge-canary git-credential-canary";

/** Makes a trial workspace. It is an empty shell outside; the repository in it is made where it is used. */
export function makeTrialWorkspace(): TrialWorkspace {
  const home = makeFolder();
  for (const [file, text] of Object.entries(FILES)) write(join(home.path, file), text, 0o644);
  for (const name of HELPERS.split(" ")) write(join(home.path, "bin", name), CANARY, 0o755);
  for (const path of ["workspace/canary", "workspace/sub/canary"]) write(join(home.path, path), CANARY, 0o755);
  const root = join(home.path, "workspace");
  symlinkSync("../outside/secret.txt", join(root, "link"));
  const PATH = [join(home.path, "bin"), "/usr/local/bin", "/usr/bin", "/bin", "/tools/node_modules/.bin"].join(":");
  const env = shellEnvironment(root, [], { PATH, HOME: join(home.path, "home") });
  return {
    root,
    folder: createFolder(root, root),
    secret: join(home.path, "outside", "secret.txt"),
    async run(commands, options) {
      const parts = Array.from({ length: availableParallelism() }, (_, part) =>
        commands.filter((__, index) => index % availableParallelism() === part),
      );
      const secret = FILES["outside/secret.txt"]!.trim();
      const effects = await Promise.all(
        parts.map((part) =>
          askConfined<Effects[]>(
            "run-commands",
            { commands: part, env, secret, ...options } satisfies Commands,
            home.path,
          ),
        ),
      );
      return commands.map((_, index) => effects[index % effects.length]![Math.floor(index / effects.length)]!);
    },
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

function write(path: string, text: string, mode: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, mode);
}
