import { expect, test } from "vitest";
import type { Terminal } from "../../src/cli/terminal.ts";
import { closeWorkspace } from "../../src/cli/workspace.ts";
import { openWorkspace } from "../../src/node/workspace.ts";
import { makePlace } from "./run.ts";

test("a plugin that does not stop well is a warning: the command has done its work", async () => {
  const { folder, home } = makePlace({ "pegboard.yaml": "version: 1\n" }, { trust: true });
  const workspace = await openWorkspace(folder, { home });
  const stop = () => Promise.reject(new Error("no brakes"));
  await workspace.plugins.add({ plugin: { name: "p", version: "1.0.0", register: () => {}, stop } });
  const warnings: string[] = [];
  await closeWorkspace(workspace, { warn: (line: string) => void warnings.push(line) } as unknown as Terminal);
  expect(warnings).toEqual(['warning: These plugins did not stop well: "p" (stop failed: no brakes)']);
});
