import { describe, expect, test } from "vitest";
import { createRuntime, defineTool, type JsonSchema, Registry } from "../../src/index.ts";

const empty = { type: "object" } as const;
const tool = (name: string, more: object = {}) =>
  defineTool({ name, description: `does ${name}`, input: empty, execute: () => name, ...more });

describe("the board", () => {
  test("A0-01 a registered tool is listed with its JSON Schema, in which only required parameters are required", () => {
    const input = {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "number" } },
      required: ["a"],
    } as const;
    const session = createRuntime({
      tools: [defineTool({ name: "t", description: "d", input, execute: () => 1 })],
    }).open();
    const listed = session.list().find(({ name }) => name === "t");
    expect(listed?.inputSchema).toBe(input);
    expect(listed?.inputSchema["required"]).toEqual(["a"]);
  });

  test("A0-02 an unknown tool is nothing, an unregistered one too, and unregistering an unknown one is no error", () => {
    const { tools } = createRuntime();
    tools.register(tool("t"));
    expect(tools.get("t")).toBeDefined();
    expect(tools.get("nosuch")).toBeUndefined();
    expect(tools.unregister("t")).toBe(true);
    expect(tools.get("t")).toBeUndefined();
    expect(tools.unregister("t")).toBe(false);
  });

  test("A0-03 a second tool of one name is refused naming both sources, and replaces the first when told to", () => {
    const { tools } = createRuntime();
    tools.register(tool("t"), { source: { kind: "module", id: "first", file: "/a.ts" } });
    const second = { source: { kind: "module", id: "second", file: "/b.ts" } } as const;
    expect(() => tools.register(tool("t"), second)).toThrow(/module "first" \(\/a\.ts\).*module "second" \(\/b\.ts\)/);
    const next = tool("t");
    expect(tools.registerOrReplace(next, second).replaced).toEqual(["t"]);
    expect(tools.get("t")).toBe(next);
  });

  test("A0-04 a session with one more tool does not change the list of others", () => {
    const runtime = createRuntime();
    const before = runtime.open().list().length;
    const session = runtime.open({ tools: [tool("extra")] });
    expect(session.list().map(({ name }) => name)).toContain("extra");
    expect(runtime.open().list()).toHaveLength(before);
    expect(runtime.tools.get("extra")).toBeUndefined();
  });

  test("A1-21 registering the same toolset twice throws, and replaces it when told to", () => {
    const { tools } = createRuntime();
    const options = { source: { kind: "module", id: "math" }, prefix: "math" } as const;
    tools.register([tool("add"), tool("sub")], options);
    expect(() => tools.register([tool("add"), tool("sub")], options)).toThrow(
      /"math__add" is registered already by module "math"/,
    );
    expect(tools.registerOrReplace([tool("add"), tool("sub")], options).replaced).toEqual(["math__add", "math__sub"]);
  });

  test("A1-22 two toolsets with one tool name are an error naming both, and both usable under aliases", async () => {
    const runtime = createRuntime({ policy: { rules: [{ tool: "*", approval: "preApproved" }] } });
    runtime.tools.register(tool("search"), { source: { kind: "package", id: "exa" } });
    expect(() => runtime.tools.register(tool("search"), { source: { kind: "package", id: "tavily" } })).toThrow(
      /package "exa".*package "tavily"/,
    );
    runtime.tools.register(tool("search"), { source: { kind: "package", id: "tavily" }, prefix: "tavily" });
    const session = runtime.open();
    expect((await session.call("search")).ok).toBe(true);
    expect((await session.call("tavily__search")).ok).toBe(true);
  });

  test.each([
    ["an empty name", { name: "" }, /name/],
    ["an empty description", { description: " " }, /description is empty/],
    ["a handler that is no function", { execute: "x" }, /no function/],
    ["a timeout of 0", { timeoutMs: 0 }, /timeout must be more than 0/],
    ["a negative timeout", { timeoutMs: -1 }, /timeout must be more than 0/],
    ["an unknown capability", { capabilities: ["fly"] }, /"fly" is unknown/],
    ["a version that is none", { version: "one" }, /semantic version/],
    ["an input schema that is none", { input: null }, /schema/i],
  ])("A4-01 a definition with %s is refused when it is registered", (_, wrong, message) => {
    const { tools } = createRuntime();
    expect(() => tools.register(tool("t", wrong as object))).toThrow(message);
    expect(tools.get("t")).toBeUndefined();
  });

  test("A4-02 registering, replacing, unregistering and clearing tell what they did; list, names and count agree", () => {
    const tools = new Registry();
    tools.register([tool("a"), tool("b")]);
    expect(() => tools.register(tool("a"))).toThrow(/already/);
    expect(tools.registerOrReplace(tool("c")).replaced).toEqual([]);
    expect(tools.registerOrReplace(tool("c")).replaced).toEqual(["c"]);
    expect(tools.unregister("b")).toBe(true);
    expect([tools.list().map(({ name }) => name), tools.names(), tools.count]).toEqual([["a", "c"], ["a", "c"], 2]);
    expect(tools.clear()).toBe(2);
    expect([tools.list(), tools.names(), tools.count]).toEqual([[], [], 0]);
  });

  test("A4-03 a hundred registrations at once of distinct tools all succeed; of one name exactly one does", async () => {
    const tools = new Registry();
    await Promise.all(Array.from({ length: 100 }, async (_, index) => tools.register(tool(`t${index}`))));
    expect(tools.count).toBe(100);
    const outcomes = await Promise.allSettled(Array.from({ length: 100 }, async () => tools.register(tool("same"))));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  });

  test("A4-04 two boards are independent, and a runtime uses the one it was given", () => {
    const mine = new Registry();
    const other = new Registry();
    mine.register(tool("mine"));
    other.register(tool("other"));
    const hosted = createRuntime({ registry: mine })
      .open()
      .list()
      .filter(({ layer }) => layer === "host");
    expect(hosted.map(({ name }) => name)).toEqual(["mine"]);
  });

  test.each(["a b", "1a", "a.b", "../x", "a/b", "é", "a".repeat(65), "a__b", "", "x\n"])(
    "A4-40 the name %j is refused with the grammar",
    (name) => {
      expect(() => createRuntime().tools.register(tool(name))).toThrow(/The name .* is refused: it must/);
    },
  );

  test("A4-40 a name that is too long only with its prefix is refused", () => {
    const { tools } = createRuntime();
    expect(() => tools.register(tool("a".repeat(60)), { prefix: "plugin" })).toThrow(
      /at most 64 characters, it has 68/,
    );
  });

  test("a higher layer hides a lower one and reveals it when it leaves", () => {
    const runtime = createRuntime();
    const mine = runtime.tools.register(tool("vfs_read"), { layer: "user" });
    const [shown] = runtime
      .open()
      .list()
      .filter(({ name }) => name === "vfs_read");
    expect(shown).toMatchObject({ layer: "user", shadows: [{ kind: "builtin" }] });
    mine[Symbol.dispose]();
    expect(
      runtime
        .open()
        .list()
        .find(({ name }) => name === "vfs_read"),
    ).toMatchObject({ layer: "builtin" });
  });

  test("registering several tools is all or nothing", () => {
    const tools = new Registry();
    expect(() => tools.register([tool("a"), tool("b", { description: "" })])).toThrow(/description/);
    expect(tools.count).toBe(0);
  });

  test("names that differ only in case are two tools", async () => {
    const session = createRuntime({
      tools: [tool("Read", { approval: "preApproved" }), tool("read", { approval: "preApproved" })],
    }).open();
    expect((await session.call("Read")).content).toEqual([{ type: "text", text: "Read" }]);
    expect((await session.call("read")).content).toEqual([{ type: "text", text: "read" }]);
  });

  test("ten thousand tools do not slow a look-up down to a search", () => {
    const tools = new Registry();
    tools.register(Array.from({ length: 10_000 }, (_, index) => tool(`t${index}`)));
    expect(tools.find("t9999")?.name).toBe("t9999");
    const schema: JsonSchema = tools.find("t5")!.input.json;
    expect(schema).toBe(empty);
  });
});
