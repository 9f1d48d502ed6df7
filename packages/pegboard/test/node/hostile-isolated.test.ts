import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { memoryStore } from "../../src/index.ts";
import { openWorkspace, type Workspace } from "../../src/node/index.ts";
import { EXPECTED, type Expectation, failsWith, succeeds, textOf } from "../core/hostile-expectations.ts";
import corpus from "../corpora/tools.json" with { type: "json" };

type Mode = "process" | "worker";

const SECRET = "sk-the-host-alone-may-see-this";
const ENDED = /^The process of tools\/HT\d+\.mjs ended: /;

/** What only happens to a tool that does not run in the process, by case and mode. */
const ISOLATED: Record<string, Expectation | Record<Mode, Expectation>> = {
  HT038: succeeds,
  HT039: succeeds,
  HT040: succeeds,
  HT043: failsWith(/did not answer within/),
  HT044: failsWith(/did not answer within/),
  HT054: succeeds,
  HT061: failsWith(ENDED),
  HT062: { process: failsWith(ENDED), worker: failsWith(/not supported in workers/) },
  HT063: failsWith(/may not signal process/),
  HT065: (result) => {
    expect(textOf(result)).toContain("PATH");
    expect(textOf(result)).not.toContain(SECRET);
  },
};

/** Tools that break their own process for those that come after them in it get one for themselves. */
const ALONE = [...Object.keys(ISOLATED), "HT053", "HT055"];

/** Tools that are ended by their time limit. */
const ENDLESS = ["HT015", "HT042", "HT043", "HT044", "HT046"];

const cases: readonly { id: string; name: string; js: string; pass: string; sync?: boolean }[] = corpus.handlers;

describe.each<Mode>(["process", "worker"])("A4-36 a hostile tool in mode %s", (mode) => {
  let folder: string;
  let workspace: Workspace;

  beforeAll(async () => {
    process.env["HOST_KEY"] = SECRET;
    folder = mkdtempSync(join(tmpdir(), "pegboard-hostile-"));
    mkdirSync(join(folder, "tools"));
    writeFileSync(join(folder, "pegboard.yaml"), `version: 1\nsandbox: { mode: ${mode} }\n`);
    const write = (name: string, text: string) => writeFileSync(join(folder, "tools", `${name}.mjs`), text);
    write("neighbour", toModule([{ id: "neighbour", js: `return "here"` }]));
    write("rest", toModule(cases.filter(({ id }) => !ALONE.includes(id))));
    for (const one of cases.filter(({ id }) => ALONE.includes(id))) write(one.id, toModule([one]));
    workspace = await openWorkspace(folder, {
      home: join(folder, "home"),
      trust: true,
      store: memoryStore(),
      toolOutput() {},
    });
  });

  afterAll(async () => {
    await workspace.close();
    delete process.env["HOST_KEY"];
    rmSync(folder, { recursive: true, force: true });
  });

  test("is loaded like any other", () => {
    expect(workspace.diagnostics).toEqual([]);
  });

  test.for(cases)("$id $name: $pass", async ({ id }) => {
    const session = workspace.open();
    const result = await session.call(id, { path: "a" });
    const asked = performance.now();
    expect(textOf(await session.call("neighbour"))).toBe("here");
    expect(performance.now() - asked).toBeLessThan(1_000);
    await session.close();
    const events = await Array.fromAsync(session.events());
    const ends = events.filter(({ type, data }) => type === "call-end" && (data as { tool: string }).tool === id);
    expect(ends).toHaveLength(1);
    const expected = ISOLATED[id] ?? EXPECTED[id] ?? succeeds;
    (typeof expected === "function" ? expected : expected[mode])(result, events);
    expect(result.content.every((block) => block.type !== "text" || block.text.isWellFormed())).toBe(true);
    expect(JSON.stringify([result, events])).not.toContain(SECRET);
    expect("polluted" in {}).toBe(false);
  });
});

test("what is expected of isolated tools names only cases that there are", () => {
  const ids = cases.map(({ id }) => id);
  for (const id of Object.keys(ISOLATED)) expect(ids).toContain(id);
});

function toModule(handlers: readonly { id: string; js: string; sync?: boolean }[]): string {
  const tools = handlers.map(
    ({ id, js, sync }) =>
      `export const ${id} = { name: "${id}", description: "d", input: { type: "object" }, approval: "preApproved", timeoutMs: ${ENDLESS.includes(id) ? 300 : 20_000}, execute: ${sync ? "" : "async "}(input, ctx) => { ${js} } };`,
  );
  return `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n${tools.join("\n")}\n`;
}
