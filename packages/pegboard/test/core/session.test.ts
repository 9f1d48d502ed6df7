import { describe, expect, test, vi } from "vitest";
import {
  type AnyTool,
  createRuntime,
  defineTool,
  type Event,
  memoryStore,
  PegboardError,
  type Session,
  type SessionView,
  type Store,
} from "../../src/index.ts";

const input = { type: "object" } as const;
const tool = (name: string, more: object = {}): AnyTool =>
  defineTool({ name, description: `does ${name}`, input, approval: "preApproved", execute: () => name, ...more });

async function collect(events: AsyncIterable<Event>): Promise<Event[]> {
  const all: Event[] = [];
  for await (const event of events) all.push(event);
  return all;
}

function counter() {
  const log: string[] = [];
  const counting: AnyTool = defineTool({
    name: "count",
    description: "counts the calls of a session",
    input,
    approval: "preApproved",
    open(session: SessionView) {
      log.push(`open ${session.id} in ${session.cwd}`);
      let calls = 0;
      return { execute: () => ++calls, [Symbol.dispose]: () => void log.push(`dispose ${session.id}`) };
    },
  });
  return { counting, log };
}

describe("a session", () => {
  test("A4-09 a global tool is one instance for all; a session tool is opened for each session, sees no other, and goes with it", async () => {
    const { counting, log } = counter();
    let calls = 0;
    const runtime = createRuntime({ tools: [counting, tool("global", { execute: () => ++calls })] });
    const one = runtime.open({ id: "one", cwd: "/one" });
    const two = runtime.open({ id: "two", cwd: "/two" });
    for (const session of [one, one, two]) await session.call("count");
    expect((await one.call("count")).structured).toBe(3);
    expect((await two.call("count")).structured).toBe(2);
    await one.call("global");
    expect((await two.call("global")).structured).toBe(2);
    expect(one.list().map(({ name, scope }) => `${name} ${scope}`)).toEqual(
      expect.arrayContaining(["count session", "global global"]),
    );
    await one.close();
    expect(log).toEqual(["open one in /one", "open two in /two", "dispose one"]);
    await runtime.close();
    expect(log.at(-1)).toBe("dispose two");
  });

  test("A4-09 a tool registered for one session is not there for another", async () => {
    const runtime = createRuntime();
    const one = runtime.open();
    one.tools.register(tool("mine"));
    expect((await one.call("mine")).ok).toBe(true);
    expect((await runtime.open().call("mine")).error?.code).toBe("not_found");
  });

  test("A1-41 what a session opened is disposed at its end, once, also after errors", async () => {
    const disposed = vi.fn();
    const failing: AnyTool = defineTool({
      name: "failing",
      description: "fails",
      input,
      approval: "preApproved",
      open: () => ({ execute: () => Promise.reject(new Error("no")), [Symbol.asyncDispose]: async () => disposed() }),
    });
    const session = createRuntime({ tools: [failing] }).open();
    expect((await session.call("failing")).error?.message).toBe("no");
    await session.call("failing");
    await session.close();
    await session.close();
    expect(disposed).toHaveBeenCalledTimes(1);
  });

  test("A4-19 a tool that cannot be opened fails alone, and is tried again at the next call", async () => {
    let tries = 0;
    const shaky: AnyTool = defineTool({
      name: "shaky",
      description: "opens at the second try",
      input,
      approval: "preApproved",
      open: () => {
        if (++tries === 1) throw new Error("no connection");
        return { execute: () => "open" };
      },
    });
    const session = createRuntime({ tools: [shaky, tool("other")] }).open();
    expect((await session.call("shaky")).error).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("no connection"),
    });
    expect((await session.call("other")).ok).toBe(true);
    expect((await session.call("shaky")).content).toEqual([{ type: "text", text: "open" }]);
  });

  test("A4-14 a session is told when tools come and go, sees them at once, and a call in flight ends on what it started with", async () => {
    const runtime = createRuntime();
    const session = runtime.open();
    let finish!: (value: string) => void;
    const slow = runtime.tools.register(
      tool("slow", { execute: () => new Promise<string>((resolve) => (finish = resolve)) }),
    );
    const inFlight = session.call("slow");
    await vi.waitFor(() => expect(finish).toBeDefined());
    slow[Symbol.dispose]();
    expect(session.list().map(({ name }) => name)).not.toContain("slow");
    expect((await session.call("slow")).error?.code).toBe("not_found");
    finish("done");
    expect((await inFlight).content).toEqual([{ type: "text", text: "done" }]);
    runtime.tools.register(tool("next"));
    expect(session.list().map(({ name }) => name)).toContain("next");
    await session.close();
    const changes = (await collect(session.events()))
      .filter(({ type }) => type === "tools-change")
      .map(({ data }) => data);
    expect(changes).toEqual([
      { added: [], removed: ["slow"], changed: [] },
      { added: ["next"], removed: [], changed: [] },
    ]);
  });

  test("A4-43 the version of a tool is logged with each call, and a change of it is announced", async () => {
    const runtime = createRuntime({ tools: [tool("t", { version: "1.0.0" })] });
    const session = runtime.open();
    await session.call("t");
    runtime.tools.registerOrReplace(tool("t", { version: "1.1.0" }));
    await session.call("t");
    await session.close();
    const events = await collect(session.events());
    expect(
      events.filter(({ type }) => type === "execute-start").map(({ data }) => (data as { version?: string }).version),
    ).toEqual(["1.0.0", "1.1.0"]);
    expect(events.find(({ type }) => type === "tools-change")?.data).toMatchObject({
      changed: [{ name: "t", version: "1.1.0", was: "1.0.0" }],
    });
  });

  test("A4-17 the list shows every tool with its schema, source, layer, scope, approval and capabilities", () => {
    const runtime = createRuntime({
      tools: [tool("hosted", { capabilities: ["network"], approval: undefined, output: { type: "string" } })],
    });
    runtime.tools.register(tool("search", { approval: undefined }), {
      layer: "user",
      prefix: "exa",
      source: { kind: "package", id: "exa", file: "@exalabs/ai-sdk" },
    });
    const listed = runtime.open({ tools: [tool("own")] }).list();
    expect(listed.map(({ name }) => name)).toEqual([
      "agent",
      "checkin",
      "delegate",
      "exa__search",
      "hosted",
      "own",
      "read_result",
      "signal_parent",
      "spawn_agent",
      "vfs_delete",
      "vfs_list",
      "vfs_read",
      "vfs_write",
    ]);
    expect(listed.find(({ name }) => name === "hosted")).toEqual({
      name: "hosted",
      description: "does hosted",
      source: { kind: "host", id: "host" },
      layer: "host",
      scope: "global",
      approval: "ask",
      capabilities: ["network"],
      inputSchema: input,
      outputSchema: { type: "string" },
    });
    expect(listed.find(({ name }) => name === "exa__search")).toMatchObject({
      source: { kind: "package", id: "exa" },
      layer: "user",
      approval: "ask",
    });
    expect(listed.find(({ name }) => name === "vfs_read")).toMatchObject({
      layer: "builtin",
      approval: "preApproved",
      capabilities: ["state"],
    });
    expect(listed.find(({ name }) => name === "own")).toMatchObject({ layer: "session", scope: "session" });
  });

  test("A1-20 a tool is told its call, its session and may reach files through the context, or ignores all of it", async () => {
    const runtime = createRuntime({
      tools: [
        tool("uses", {
          execute: async (_: unknown, { callId, session, call }: any) => {
            await call("vfs_write", { path: "out.md", content: `by ${callId}` });
            return { callId, session: session.id, text: (await call("vfs_read", { path: "out.md" })).structured.text };
          },
        }),
        tool("ignores", { execute: () => "fine" }),
      ],
    });
    const session = runtime.open({ id: "s" });
    expect((await session.call("uses", {}, { id: "c" })).structured).toEqual({
      callId: "c",
      session: "s",
      text: "by c",
    });
    expect((await session.call("ignores")).ok).toBe(true);
  });

  test("A1-35 a manual tool is not in a model's list and refused to it; a person runs it with the same checks", async () => {
    const manual = tool("deploy", { callers: ["user"], input: { type: "object", required: ["to"] }, approval: "ask" });
    const session = createRuntime({ tools: [manual], approver: () => ({ decision: "allow" }) }).open();
    expect(session.list().map(({ name }) => name)).not.toContain("deploy");
    expect((await session.call("deploy", { to: "prod" })).error).toMatchObject({
      code: "denied",
      message: expect.stringContaining("only by: user"),
    });
    expect(session.list({ as: "user" }).map(({ name }) => name)).toContain("deploy");
    expect((await session.call("deploy", {}, { as: "user" })).error?.code).toBe("invalid_input");
    expect((await session.call("deploy", { to: "prod" }, { as: "user" })).ok).toBe(true);
    await session.close();
    expect(
      (await collect(session.events()))
        .filter(({ type }) => type === "call-start")
        .map(({ data }) => (data as { caller: string }).caller),
    ).toEqual(["model", "user", "user"]);
  });

  test("A0-22 an agent's list is what it sees: a tool outside it is refused naming the list, and denials in it win", async () => {
    const runtime = createRuntime({ tools: [tool("get_a"), tool("get_b"), tool("write")] });
    const session = runtime.open({ agent: { name: "reader", tools: ["get_*", "!get_b"] } });
    expect(session.list().map(({ name }) => name)).toEqual(["get_a"]);
    expect((await session.call("get_a")).ok).toBe(true);
    for (const name of ["get_b", "write", "vfs_read"]) {
      expect((await session.call(name)).error).toMatchObject({
        code: "denied",
        message: expect.stringContaining('agent "reader" (tools: [get_*, !get_b])'),
      });
    }
    expect(runtime.open({ agent: { name: "idle", tools: [] } }).list()).toEqual([]);
  });

  test("a tool reserved for an agent is hidden from others and refused to them", async () => {
    const runtime = createRuntime({ tools: [tool("t", { requiredAgent: ["boss", "deputy"] })] });
    expect(
      runtime
        .open()
        .list()
        .map(({ name }) => name),
    ).not.toContain("t");
    expect((await runtime.open().call("t")).error).toMatchObject({ code: "agent_mismatch" });
    expect((await runtime.open({ agent: { name: "clerk" } }).call("t")).error).toMatchObject({
      code: "agent_mismatch",
      message: expect.stringContaining('agent "clerk"'),
    });
    expect((await runtime.open({ agent: { name: "boss" } }).call("t")).ok).toBe(true);
  });

  test("a follower gets history from where it asks, then what comes, until the session closes", async () => {
    const session = createRuntime({ tools: [tool("t")] }).open();
    await session.call("t");
    const followed = collect(session.events({ from: 3 }));
    await session.call("t");
    await session.close();
    const events = await followed;
    expect(events.map(({ seq }) => seq)).toEqual([3, 4, 5, 6, 7, 8]);
    expect(events.every(({ v, session: id }) => v === 1 && id === session.id)).toBe(true);
  });

  test("a follower ends with the session, also when it closes while the follower reads", async () => {
    const store = memoryStore();
    const slow: Store = {
      ...store,
      read: async (query) => {
        const events = await store.read(query);
        await new Promise((resolve) => setTimeout(resolve, 10));
        return events;
      },
    };
    const session = createRuntime({ tools: [tool("t")], store: slow }).open();
    await session.call("t");
    const types: string[] = [];
    for await (const { type } of session.events()) {
      types.push(type);
      if (type === "call-end") setTimeout(() => void session.close(), 5);
    }
    expect(types).toEqual(["session-start", "call-start", "execute-start", "call-end", "session-end"]);
  });

  test("a follower that goes away stops following", async () => {
    const session: Session = createRuntime({ tools: [tool("t")] }).open();
    const leaving = new AbortController();
    const followed = collect(session.events({ signal: leaving.signal }));
    await session.call("t");
    leaving.abort();
    expect((await followed).length).toBeGreaterThan(0);
  });

  test.each(["../x", "a/b", "a\\b", ".", "..", "", "a".repeat(129), "a b"])("the session id %j is refused", (id) => {
    expect(() => createRuntime().open({ id })).toThrow(PegboardError);
  });

  test("an id can be open once, and goes on with its log when it is opened again", async () => {
    const runtime = createRuntime({ tools: [tool("t")] });
    const first = runtime.open({ id: "s" });
    expect(() => runtime.open({ id: "s" })).toThrow(/open already/);
    await first.call("t");
    await first.close();
    const second = runtime.open({ id: "s" });
    await second.call("t");
    await second.close();
    expect((await collect(second.events())).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test("whoever listens is told of a change of the tools, also before anything is on record", async () => {
    const runtime = createRuntime();
    const session = runtime.open();
    const heard: Event[] = [];
    using _ = session.listen((event) => heard.push(event));
    runtime.tools.register(tool("late"));
    expect(heard).toMatchObject([{ seq: 0, type: "tools-change", data: { added: ["late"] } }]);
    expect(await runtime.store.read()).toEqual([]);
  });

  test("whoever waits for its end is told, whoever closes it", async () => {
    const runtime = createRuntime({ tools: [tool("one")] });
    const session = runtime.open({ id: "mine" });
    await session.call("one");
    let closed = false;
    void session.closed.then(() => (closed = true));
    expect(session.closing).toBe(false);
    const deleting = runtime.sessions.delete("mine");
    await vi.waitFor(() => expect(session.closing).toBe(true));
    await deleting;
    expect(closed).toBe(true);
  });

  test("a session that did nothing leaves nothing in the store", async () => {
    const runtime = createRuntime();
    const session = runtime.open();
    session.list();
    await session.close();
    expect(await runtime.store.read({ session: session.id })).toEqual([]);
  });
});
