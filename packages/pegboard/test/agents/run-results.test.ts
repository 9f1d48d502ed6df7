import { defineTool, type Json, type Tool, type Turn } from "pegboard";
import { describe, expect, test } from "vitest";
import { ofType, stage } from "./stage.ts";

const give = (name: string, execute: () => unknown, more: Partial<Tool> = {}) =>
  defineTool({
    name,
    description: "Gives",
    input: { type: "object" },
    capabilities: ["read"],
    execute,
    ...more,
  }) as Tool;

/** What the model reads of the results of the calls that it made in one turn. */
async function read(calls: readonly { readonly tool: string; readonly input?: Json }[], ...args: OpenArgs) {
  const turns: Turn[] = [{ calls }, "Done."];
  const [options, open] = args;
  const scene = stage({ lead: { says: turns } }, options, open);
  const result = await scene.session.run("lead", "Go").result;
  const [last] = scene.model.requests[1]!.messages.slice(-1);
  const results = last?.role === "tool" ? last.results : [];
  return { ...scene, result, results, events: await scene.log() };
}

type OpenArgs = [options?: Parameters<typeof stage>[1], open?: Parameters<typeof stage>[2]];

describe("what a model reads of its calls", () => {
  test("A1-13: of one that was denied is an error with the note of whoever denied it, and the run goes on", async () => {
    let ran = 0;
    const tool = give("change", () => ++ran, { capabilities: ["write"] });
    const { result, results } = await read(
      [{ tool: "change" }, { tool: "vfs_list" }],
      { tools: [tool] },
      { approver: () => ({ decision: "deny", note: "ask Bob first" }) },
    );
    expect(result).toMatchObject({ status: "completed", text: "Done." });
    expect(results).toMatchObject([
      { ok: false, content: [{ text: expect.stringContaining("ask Bob first") }] },
      { ok: true },
    ]);
    expect(ran).toBe(0);
  });

  test("A0-39: is a failure only of what was thrown or declared, never of what a text looks like", async () => {
    const tools = [
      give("empty", () => ""),
      give("looks", () => "Error: this is what the file says"),
      give("throws", () => Promise.reject(new Error("broken"))),
      give("declares", () => ({ ok: false, error: { code: "tool_error", message: "no such page" } })),
    ];
    const { results } = await read(
      tools.map(({ name }) => ({ tool: name })),
      { tools },
    );
    expect(results.map(({ ok }) => ok)).toEqual([true, true, false, false]);
    expect(JSON.stringify(results.slice(2))).toMatch(/broken.*no such page/);
  });

  test("A1-33: is a stable text, whatever a tool returned, and the log has the same", async () => {
    const circle: Record<string, unknown> = { a: 1 };
    circle["self"] = circle;
    const values = {
      nothing: undefined,
      circle,
      big: { n: 10n ** 20n },
      date: new Date(0),
      bytes: Buffer.from([1, 2]),
    };
    const tools = Object.entries(values).map(([name, value]) => give(name, () => value));
    const { result, results, events } = await read(
      tools.map(({ name }) => ({ tool: name })),
      { tools },
    );
    expect(result).toMatchObject({ status: "completed", calls: 5 });
    expect(results.map(({ ok }) => ok)).toEqual([true, true, true, true, true]);
    const texts = ['{"a":1,"self":"[circular]"}', '{"n":"100000000000000000000"}', "1970-01-01T00:00:00.000Z"];
    const stable = [[], ...texts.map((text) => [{ type: "text", text }])];
    const bytes = { uri: "data:", mimeType: "application/octet-stream", blob: "AQI=" };
    expect(results.map(({ content }) => content)).toEqual([...stable, [{ type: "resource", resource: bytes }]]);
    const logged = ofType(events, "call-end").map(({ data }) => (data.result as { content: unknown }).content);
    const kept = /^\[resource application\/octet-stream, 2 bytes, sha256 [0-9a-f]{64}\]$/;
    expect(logged).toEqual([...stable, [{ type: "text", text: expect.stringMatching(kept) }]]);
  });

  test("A0-43: is all of a long result, as the log of a run has it, and both events of a call name its agent and run", async () => {
    const text = "long ".repeat(1_000);
    const { results, events, session } = await read([{ tool: "tell" }], {
      tools: [give("tell", () => text)],
      limits: { loggedCharacters: 1_000 },
    });
    expect(results).toMatchObject([{ ok: true, content: [{ type: "text", text }] }]);
    const [start] = ofType(events, "call-start");
    const [end] = ofType(events, "call-end");
    const [run] = ofType(events, "run-start");
    expect(end!.data.result).toMatchObject({ content: [{ text }] });
    for (const event of [start!, end!])
      expect(event).toMatchObject({ session: session.id, run: run!.run, chain: ["lead"], call: start!.call });
  });

  test("A3-09: is the text of a plugin's handler, while clients get its blocks, in the order of the calls", async () => {
    const draw = (kind: string) => ({
      name: kind,
      description: "Draws",
      schema: { type: "object" },
      handler: async () => ({ text: `drew it`, blocks: [{ kind }] }),
    });
    const scene = stage({
      lead: { says: [{ calls: ["chart", "note"].map((name) => ({ tool: `p__${name}` })) }, "Done."] },
    });
    await scene.runtime.plugins.add({
      plugin: { name: "p", version: "1.0.0", tools: [draw("chart"), draw("note")] },
    });
    await scene.session.run("lead", "Go").result;
    expect(scene.heardBy("lead").at(-1)).toBe("drew it\ndrew it");
    const blocks = ofType(await scene.log(), "call-end").map(
      ({ data }) => (data.result as { structured: unknown }).structured,
    );
    expect(blocks).toEqual([{ blocks: [{ kind: "chart" }] }, { blocks: [{ kind: "note" }] }]);
    expect(JSON.stringify(scene.model.requests[1]!.messages)).not.toContain('"kind"');
  });
});
