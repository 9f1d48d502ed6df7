import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import { createRuntime, defineTool } from "../../src/index.ts";
import corpus from "../corpora/tools.json" with { type: "json" };
import { EXPECTED, succeeds, textOf } from "./hostile-expectations.ts";

/** What no process survives when it happens inside it, and what later rooms of the house answer: said in docs/security.md. */
const NOT_IN_PROCESS: Record<string, string> = {
  HT038: "ends the process that has no guard: cli/call-process.test.ts and node/hostile-isolated.test.ts",
  HT039: "ends the process that has no guard: cli/call-process.test.ts and node/hostile-isolated.test.ts",
  HT040: "ends the process that has no guard: cli/call-process.test.ts and node/hostile-isolated.test.ts",
  HT043: "a busy loop holds the only thread",
  HT044: "endless microtasks hold the only thread",
  HT054: "a patched Array.prototype is everybody's",
  HT061: "process.exit ends the process",
  HT062: "process.abort ends the process",
  HT063: "kills the parent process",
  HT065: "a tool in the process sees its environment",
};

describe("a hostile tool in the process", () => {
  const cases = corpus.handlers.filter(({ id }) => !(id in NOT_IN_PROCESS));

  test.each(cases)("$id $name: $pass", async ({ id, js, sync }: (typeof cases)[number] & { sync?: boolean }) => {
    const intact = { stringify: JSON.stringify };
    const run = makeHandler(js, sync === true);
    const hostile = defineTool({
      name: "hostile",
      description: "d",
      input: { type: "object" },
      approval: "preApproved",
      timeoutMs: 300,
      execute: (input, context) => run(input, context, createRequire(import.meta.url)),
    });
    const neighbour = defineTool({
      name: "neighbour",
      description: "d",
      input: { type: "object" },
      approval: "preApproved",
      execute: () => "here",
    });
    const session = createRuntime({ tools: [hostile, neighbour] }).open();
    const before = structuredClone(session.list());
    await session.call("neighbour");
    try {
      const result = await session.call("hostile", { path: "a" });
      const asked = performance.now();
      expect(textOf(await session.call("neighbour"))).toBe("here");
      expect(performance.now() - asked).toBeLessThan(1_000);
      await session.close();
      const events = await Array.fromAsync(session.events());
      expect(
        events.filter(({ type, data }) => type === "call-end" && (data as { tool: string }).tool === "hostile"),
      ).toHaveLength(1);
      (EXPECTED[id] ?? succeeds)(result, events);
      expect(result.content.every((block) => block.type !== "text" || block.text.isWellFormed())).toBe(true);
      expect(structuredClone(session.list())).toEqual(before);
    } finally {
      JSON.stringify = intact.stringify;
      delete (Object.prototype as Record<string, unknown>)["polluted"];
    }
  });

  test("the list of what is not survived in the process names only cases that there are", () => {
    const ids = corpus.handlers.map(({ id }) => id);
    for (const id of [...Object.keys(NOT_IN_PROCESS), ...Object.keys(EXPECTED)]) expect(ids).toContain(id);
  });
});

function makeHandler(js: string, sync: boolean): (input: unknown, context: unknown, require: unknown) => unknown {
  // oxlint-disable-next-line no-implied-eval
  return new Function(`return ${sync ? "" : "async "}(input, ctx, require) => { ${js} }`)() as ReturnType<
    typeof makeHandler
  >;
}
