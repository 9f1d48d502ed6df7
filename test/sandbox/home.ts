import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { openWorkspace, type Workspace } from "../../packages/pegboard/src/node/index.ts";

/** A person's home folder with secrets, and a workspace in it. */
export interface Home {
  readonly path: string;
  readonly workspace: string;
  write(file: string, text: string): string;
  open(): Promise<Workspace>;
}

const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Makes a home folder and lives there until the test is over. */
export function makeHome(files: Readonly<Record<string, string>>): Home {
  const before = process.env["HOME"];
  const path = mkdtempSync(join(tmpdir(), "pegboard-home-"));
  const workspace = join(path, "work", "project");
  process.env["HOME"] = path;
  cleanups.push(() => {
    process.env["HOME"] = before;
    rmSync(path, { recursive: true, force: true });
  });
  const write = (file: string, text: string) => {
    const full = join(path, file);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  const all = {
    ".ssh/id_ed25519": "PRIVATE KEY",
    ".aws/credentials": "AKIA",
    "notes.txt": "private",
    ".config/pegboard/policy.yaml": "version: 1\n",
    "work/project/.git/config": "[core]\n",
    "work/project/.git/hooks/pre-commit": "",
    "work/project/tools/.keep": "",
  };
  for (const [file, text] of Object.entries(all)) write(file, text);
  for (const [file, text] of Object.entries(files)) write(`work/project/${file}`, text);
  return {
    path,
    workspace,
    write,
    async open() {
      const home = join(path, ".config", "pegboard");
      const opened = await openWorkspace(workspace, { home, trust: true, toolOutput() {} });
      cleanups.push(() => opened.close());
      return opened;
    },
  };
}
