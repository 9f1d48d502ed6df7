import { defineTool } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import { createRuntime, scriptedModel } from "../../src/index.ts";

const agent = (name: string, more = {}) => ({ name, description: "d", instructions: "Help.", ...more });
const tool = (name: string, more = {}) =>
  defineTool({ name, description: "d", input: { type: "object" }, execute: () => `${name} ran`, ...more });

describe("inside of a plugin", () => {
  test("a bare name means the plugin's own tool or agent, and any other name what it says", async () => {
    const runtime = createRuntime();
    await runtime.plugins.add({
      plugin: {
        name: "p",
        version: "1.0.0",
        tools: [tool("query"), tool("bound", { requiredAgent: ["clerk", "q/clerk", "boss"] })],
        agents: [
          agent("clerk", {
            tools: ["query", "!bound", "read_result", "q__query", "qu*"],
            agents: ["clerk", "assistant"],
            requirements: { all: ["query", "other"] },
            promptTools: [
              { name: "short", description: "d", prompt: "x", input: { type: "object" }, tools: ["query"] },
            ],
          }),
        ],
        commands: [{ name: "go", description: "d", prompt: "x", agent: "clerk", tools: ["query"] }],
      },
    });
    expect((await runtime.agents.find("p/clerk"))?.agent).toMatchObject({
      tools: ["p__query", "!p__bound", "read_result", "q__query", "qu*"],
      agents: ["p/clerk", "assistant"],
      requirements: { all: ["p__query", "other"] },
      promptTools: [{ tools: ["p__query"] }],
    });
    expect(runtime.tools.get("p__bound")).toMatchObject({ requiredAgent: ["p/clerk", "q/clerk", "boss"] });
    expect(runtime.tools.get("p__bound")?.description).toBe("d");
    await runtime.close();
  });

  test("a tool that is an object of a class stays that object", async () => {
    class Counter {
      readonly name = "count";
      readonly input = { type: "object" };
      readonly requiredAgent = "clerk";
      #count = 0;
      get description() {
        return "Counts";
      }
      execute() {
        return String(++this.#count);
      }
    }
    const runtime = createRuntime({ policy: { rules: [{ tool: "*", approval: "preApproved" }] } });
    await runtime.plugins.add({
      plugin: { name: "p", version: "1.0.0", tools: [new Counter()], agents: [agent("clerk")] },
    });
    const session = runtime.open({ agent: { name: "clerk", plugin: "p" } });
    await session.call("p__count");
    expect(await session.call("p__count")).toMatchObject({ ok: true, content: [{ text: "2" }] });
    await runtime.close();
  });

  test("A2-37: a tool that is bound to an agent is seen and called by that agent of that plugin alone", async () => {
    const runtime = createRuntime({ policy: { rules: [{ tool: "*", approval: "preApproved" }] } });
    await runtime.plugins.add({
      plugin: { name: "p", version: "1.0.0", tools: [tool("t", { requiredAgent: "db" })], agents: [agent("db")] },
    });
    const as = (name: string, plugin?: string) =>
      runtime.open({ agent: { name, ...(plugin !== undefined && { plugin }) } });
    const right = as("db", "p");
    expect(right.list().map(({ name }) => name)).toContain("p__t");
    expect(await right.call("p__t")).toMatchObject({ ok: true });
    for (const [session, who] of [
      [as("db"), 'agent "db"'],
      [as("db", "q"), 'agent "q/db"'],
      [as("other", "p"), 'agent "p/other"'],
      [runtime.open(), "no agent"],
    ] as const) {
      expect(session.list().map(({ name }) => name)).not.toContain("p__t");
      const { error } = await session.call("p__t");
      // A plugin's agent does not even see other plugins' tools.
      if (who === 'agent "q/db"') expect(error?.code).toBe("not_found");
      else
        expect(error).toMatchObject({
          code: "agent_mismatch",
          message: `Tool "p__t" is reserved for agent "p/db"; the caller is ${who}`,
        });
    }
    await runtime.close();
  });

  test("A2-34: an agent without a list of tools sees core tools and its plugin's own, and cannot call another plugin's", async () => {
    const runtime = createRuntime({
      tools: [tool("host_tool")],
      policy: { rules: [{ tool: "*", approval: "preApproved" }] },
    });
    await runtime.plugins.add(
      { plugin: { name: "p", version: "1.0.0", tools: [tool("t")], agents: [agent("a")] } },
      { plugin: { name: "q", version: "1.0.0", tools: [tool("t")] } },
    );
    const session = runtime.open({ agent: { name: "a", plugin: "p" } });
    const names = session.list().map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["host_tool", "p__t", "read_result"]));
    expect(names).not.toContain("q__t");
    expect(await session.call("q__t")).toMatchObject({ ok: false, error: { code: "not_found" } });
    const model = scriptedModel([{ calls: ["p__t", "q__t"].map((name) => ({ tool: name, input: {} })) }, "Done."]);
    expect(await runtime.open().run("p/a", "Go", { model }).result).toMatchObject({ status: "completed" });
    expect(model.requests[0]!.tools.map(({ name }) => name)).toEqual(names);
    expect(model.requests[1]!.messages.at(-1)).toMatchObject({ results: [{ ok: true }, { ok: false }] });
    await runtime.close();
  });
});
