import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach } from "vitest";
import { openWorkspace, type Workspace, type WorkspaceOptions } from "../../src/node/index.ts";

/** A workspace in a temporary folder, with a home of its own. */
export interface Folder {
  readonly path: string;
  readonly home: string;
  write(file: string, text: string): string;
  /** Opens it, vouching for it unless the options say otherwise. */
  open(options?: WorkspaceOptions): Promise<Workspace>;
}

const cleanups: (() => void | Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Makes a workspace of these files; it goes away after the test. `pegboard.yaml` is there in any case. */
export function makeFolder(files: Readonly<Record<string, string>> = {}): Folder {
  const root = mkdtempSync(join(tmpdir(), "pegboard-test-"));
  const path = join(root, "workspace");
  const home = join(root, "home");
  cleanups.push(() => rmSync(root, { recursive: true, force: true }));
  const write = (file: string, text: string) => {
    const full = join(path, file);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    return full;
  };
  for (const [file, text] of Object.entries({ "pegboard.yaml": "version: 1\n", ...files })) write(file, text);
  return {
    path,
    home,
    write,
    async open(options = {}) {
      const workspace = await openWorkspace(path, { home, trust: true, ...options });
      cleanups.push(() => workspace.close());
      return workspace;
    },
  };
}
