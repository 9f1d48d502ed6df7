import { describe, expect, test } from "vitest";
import {
  type Approval,
  createRuntime,
  defineTool,
  type PolicyOptions,
  type RegisterOptions,
  type Runtime,
  type SessionOptions,
} from "../../src/index.ts";

const greet = defineTool({ name: "greet", description: "Greets", input: { type: "object" }, execute: () => "hi" });
const pluginOf = (plugin: string): RegisterOptions => ({
  prefix: plugin,
  layer: "plugin",
  source: { kind: "plugin", id: plugin, plugin },
});
const MINE: RegisterOptions = { prefix: "mine", source: { kind: "module", id: "mine" } };

function makeRuntime(policy: PolicyOptions = {}): Runtime {
  const runtime = createRuntime({ builtins: false, policy });
  runtime.tools.register(greet, pluginOf("one"));
  return runtime;
}

describe("a bare name in the list of an agent", () => {
  const seen = (runtime: Runtime, tools: readonly string[], plugin?: string): readonly string[] => {
    const agent: SessionOptions["agent"] = { name: "host", tools, ...(plugin !== undefined && { plugin }) };
    return runtime
      .open({ agent })
      .list()
      .map(({ name }) => name);
  };

  test("stands for the one tool that a source has under it", () => {
    expect(seen(makeRuntime(), ["greet"])).toEqual(["one__greet"]);
  });

  test("stands for the tool of just that name where there is one, and for no other", () => {
    const runtime = makeRuntime();
    runtime.tools.register(greet);
    expect(seen(runtime, ["greet"])).toEqual(["greet"]);
  });

  test("allows nothing once a second source has it, and the call is told which there are", async () => {
    const runtime = makeRuntime();
    const session = runtime.open({ agent: { name: "host", tools: ["greet"] } });
    expect(session.list()).toHaveLength(1);
    const second = runtime.tools.register(greet, pluginOf("two"));
    expect(session.list()).toEqual([]);
    const { error } = await session.call("one__greet");
    expect(error?.code).toBe("denied");
    expect(error?.message).toContain('"greet" stands for several tools: one__greet, two__greet');
    second[Symbol.dispose]();
    expect(session.list()).toHaveLength(1);
  });

  test("stands for the tool of the agent's own plugin first", () => {
    const runtime = makeRuntime();
    runtime.tools.register(greet, pluginOf("two"));
    runtime.tools.register(greet);
    expect(seen(runtime, ["greet"], "two")).toEqual(["two__greet"]);
  });

  test("denies all that it could stand for", () => {
    const runtime = makeRuntime();
    runtime.tools.register(greet, pluginOf("two"));
    runtime.tools.register({ ...greet, name: "wave" });
    expect(seen(runtime, ["*", "!greet"])).toEqual(["wave"]);
    runtime.tools.register(greet);
    expect(seen(runtime, ["*", "!greet"])).toEqual(["one__greet", "two__greet", "wave"]);
    expect(seen(runtime, ["*", "!greet"], "two")).toEqual(["one__greet", "wave"]);
  });
});

describe("a bare name in a rule", () => {
  const decide = async (runtime: Runtime, tool: string): Promise<Approval> =>
    (await runtime.open().explain(tool, {})).decision;

  test.each(["blocked", "ask"] as const)("that says %s holds for all that it could stand for", async (approval) => {
    const rules = [{ tool: "greet", approval }, { toolset: "*", approval: "preApproved" } as const];
    const runtime = makeRuntime({ rules });
    expect(await decide(runtime, "one__greet")).toBe(approval);
    runtime.tools.register(greet, pluginOf("two"));
    expect(await decide(runtime, "one__greet")).toBe(approval);
    expect(await decide(runtime, "two__greet")).toBe(approval);
  });

  test("means the tool of just that name where there is one, from then on", async () => {
    const runtime = makeRuntime({ rules: [{ tool: "greet", approval: "blocked" }] });
    expect(await decide(runtime, "one__greet")).toBe("blocked");
    const exact = runtime.tools.register(greet);
    expect(await decide(runtime, "greet")).toBe("blocked");
    expect(await decide(runtime, "one__greet")).toBe("ask");
    exact[Symbol.dispose]();
    expect(await decide(runtime, "one__greet")).toBe("blocked");
  });

  test("that allows stands for the one tool of the operator's own, and for none once it is not the only one", async () => {
    const runtime = createRuntime({ builtins: false, policy: { rules: [{ tool: "greet", approval: "preApproved" }] } });
    runtime.tools.register(greet, MINE);
    expect(await decide(runtime, "mine__greet")).toBe("preApproved");
    runtime.tools.register(greet, pluginOf("one"));
    expect(await decide(runtime, "mine__greet")).toBe("ask");
  });

  test("that allows stands for no tool of a plugin, which could have come with any name", async () => {
    const runtime = makeRuntime({ rules: [{ tool: "greet", approval: "preApproved" }] });
    expect(await decide(runtime, "one__greet")).toBe("ask");
  });
});
