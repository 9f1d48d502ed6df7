import { describe, expect, it } from "vitest";
import { createRuntime, defineTool, type Session } from "../../src/index.ts";

const tool = (name: string) =>
  defineTool({ name, description: `Does ${name}`, input: { type: "object" }, execute: () => name });
const names = (session: Session) => session.list().map(({ name }) => name);

describe("the list of a session", () => {
  it("is one with that of every session that nothing tells apart, whatever comes and goes", () => {
    const runtime = createRuntime({ builtins: false, tools: [tool("read")] });
    const [one, two] = [runtime.open({ client: "a" }), runtime.open({ client: "a" })];
    expect(one.list()).toBe(two.list());
    const later = runtime.tools.register(tool("later"));
    expect(names(two)).toEqual(["later", "read"]);
    expect(one.list()).toBe(two.list());
    later[Symbol.dispose]();
    expect(names(one)).toEqual(["read"]);
  });

  it("is its own where it has tools of its own, as long as it has them", () => {
    const runtime = createRuntime({ builtins: false, tools: [tool("read")] });
    const [one, two] = [runtime.open(), runtime.open()];
    expect(names(one)).toEqual(["read"]);
    const own = one.tools.register(tool("own"));
    expect(names(one)).toEqual(["own", "read"]);
    expect(names(two)).toEqual(["read"]);
    own[Symbol.dispose]();
    expect(one.list()).toBe(two.list());
  });

  it.each([
    ["client", { client: "b" }],
    ["agent", { agent: { name: "helper", tools: ["read"] } }],
  ])("is another one for another %s", (word, options) => {
    const rules = [{ tool: "write", client: "b", approval: "blocked" }] as const;
    const runtime = createRuntime({ builtins: false, tools: [tool("read"), tool("write")], policy: { rules } });
    const [one, other] = [runtime.open(), runtime.open(options)];
    expect(names(one)).toEqual(["read", "write"]);
    expect(names(other), word).toEqual(["read"]);
  });

  it("is right for more kinds of callers than are remembered", () => {
    const rules = [{ tool: "write", client: "client-7", approval: "blocked" }] as const;
    const runtime = createRuntime({ builtins: false, tools: [tool("read"), tool("write")], policy: { rules } });
    const sessions = Array.from({ length: 200 }, (_, index) => runtime.open({ client: `client-${index}` }));
    for (let round = 0; round < 2; round++)
      for (const [index, session] of sessions.entries()) expect(names(session)).toHaveLength(index === 7 ? 1 : 2);
  });
});
