import { chmodSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Result } from "../../src/index.ts";
import { openWorkspace, readWorkspace, recordTrust } from "../../src/node/index.ts";
import { type Folder, makeFolder } from "./workspace-folder.ts";

const trust = async ({ path, home }: Folder) => recordTrust((await readWorkspace(path, { home })).trust, home);

const MODULE = (word: string) =>
  `import { reason } from "../lib/why.mjs";\nexport const say = { name: "say", description: "d", input: { type: "object" }, approval: "preApproved", execute: () => "${word} " + reason };\n`;
const WHY = (word: string) => `export const reason = "${word}";\n`;
const PROGRAM = (word: string) => `#!/bin/sh\necho '"${word}"'\n`;
const CONFIG = `version: 1\ntools: [{ name: ask, description: d, command: [./ask.sh], requires_approval: false }]\n`;

const textOf = ({ content }: Result) => (content[0] as { text: string }).text;

/** A trusted workspace of a module and a program, whose tools are known without running anything. */
async function openKnown() {
  const folder = makeFolder({
    "pegboard.yaml": CONFIG,
    "ask.sh": PROGRAM("good"),
    "lib/why.mjs": WHY("good"),
    "tools/say.mjs": MODULE("good"),
  });
  chmodSync(join(folder.path, "ask.sh"), 0o755);
  await trust(folder);
  await (await openWorkspace(folder.path, { home: folder.home })).close();
  const workspace = await folder.open({ trust: false });
  expect([workspace.trust.trusted, workspace.diagnostics]).toEqual([true, []]);
  return { folder, workspace, session: workspace.open() };
}

describe("what changed after a workspace was opened", () => {
  test.each([
    ["a module", "say", "tools/say.mjs", MODULE("bad"), "bad good"],
    ["a file that a module imports", "say", "lib/why.mjs", WHY("bad"), "good bad"],
    ["a program", "ask", "ask.sh", PROGRAM("bad"), "bad"],
  ])("is not run before the person agrees: %s", async (_, tool, file, text, after) => {
    const { folder, workspace, session } = await openKnown();
    folder.write(file, text);
    for (let attempt = 0; attempt < 2; attempt++) {
      expect((await session.call(tool)).error).toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(/has changed since it was loaded.*pegboard trust/),
      });
      await workspace.reload();
    }
    expect(workspace.diagnostics.at(-1)?.message).toContain("has changed since you trusted it");
    await trust(folder);
    await workspace.reload();
    expect(textOf(await session.call(tool))).toBe(after);
  });

  test("is loaded anew by itself where the caller vouches for the workspace", async () => {
    const { folder } = await openKnown();
    const workspace = await folder.open();
    folder.write("tools/say.mjs", MODULE("new"));
    const session = workspace.open();
    expect((await session.call("say")).error).toMatchObject({ code: "unavailable", retryable: true });
    await expect.poll(async () => textOf(await session.call("say"))).toBe("new good");
  });

  test("is run on by a process that had it before", async () => {
    const { folder, session } = await openKnown();
    expect(textOf(await session.call("say"))).toBe("good good");
    folder.write("tools/say.mjs", MODULE("bad"));
    expect(textOf(await session.call("say"))).toBe("good good");
    expect(textOf(await session.call("ask"))).toBe("good");
  });
});
