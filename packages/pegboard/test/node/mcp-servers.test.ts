import { describe, expect, test } from "vitest";
import type { Approver, Pinned, PinStore } from "../../src/index.ts";
import { isRunning, makeNotes, makeStage, type Notes, program, until } from "../fixtures/mcp/place.ts";

const pidOf = (notes: Notes) =>
  Number(
    notes
      .lines()
      .findLast((line) => line.startsWith("started"))!
      .split(" ")[1],
  );
const starts = (notes: Notes) => notes.lines().filter((line) => line.startsWith("started")).length;

describe("a server that is a program", () => {
  test.each([
    ["version 1 of the SDK", "sdk1"],
    ["version 2 of the SDK, in the newer era", "sdk2"],
  ] as const)("is listed and called on %s", async (_, script) => {
    const { attach, session } = makeStage();
    expect(await attach("calc", program(script))).toMatchObject({ problem: undefined, warnings: [] });
    const [tool] = session.list();
    expect(tool).toMatchObject({ name: "calc__add", source: { kind: "mcp", id: "calc" }, approval: "ask" });
    const result = await session.call("calc__add", { a: 1, b: 2 });
    expect(result).toEqual({ ok: true, content: [{ type: "text", text: "3" }], structured: { sum: 3 }, meta: {} });
    expect(await session.call("calc__add", { a: "one" })).toMatchObject({ error: { code: "invalid_input" } });
  });

  test.each(["plain", "exit-on-probe", "chatty", "stderr"])("of the older era works when it is %s", async (mode) => {
    const { attach, session } = makeStage();
    expect((await attach("raw", program("raw", mode))).problem).toBeUndefined();
    expect(await session.call("raw__echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
  });

  test("of the older era that says nothing to what it does not know is greeted in time", async () => {
    const { attach, session } = makeStage({ startMs: 6_000 });
    expect((await attach("raw", program("raw", "silent-probe"))).problem).toBeUndefined();
    expect(await session.call("raw__echo", { text: "hi" })).toMatchObject({ ok: true });
  });

  test("hands its results on as they are", async () => {
    const { attach, session } = makeStage();
    await attach("raw", program("raw"));
    expect(await session.call("raw__blocks", {})).toEqual({
      ok: true,
      content: [
        { type: "text", text: "one", annotations: { audience: ["user"] } },
        { type: "image", data: "aGk=", mimeType: "image/png" },
        { type: "audio", data: "aGk=", mimeType: "audio/wav" },
        { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "inside" } },
        { type: "resource_link", uri: "file:///b.txt", name: "b" },
      ],
      structured: { n: 1 },
      meta: { mcp: { trace: "t1" } },
    });
    expect(await session.call("raw__fail", {})).toMatchObject({
      ok: false,
      error: { code: "tool_error", message: "there is no such city" },
    });
  });

  test("sees nothing of the environment but what everybody may see and what it was given", async () => {
    process.env["P5_HOST_SECRET"] = "hush";
    const { attach, session } = makeStage();
    await attach("raw", { ...program("raw"), env: { OWN: "yes" } } as never);
    const { content } = await session.call("raw__env", {});
    delete process.env["P5_HOST_SECRET"];
    const env = JSON.parse((content[0] as { text: string }).text) as Record<string, string>;
    expect(env).toMatchObject({ OWN: "yes", PATH: process.env["PATH"] });
    expect(env).not.toHaveProperty("P5_HOST_SECRET");
  });

  test("hears of a call that is cancelled, and tells how far it is", async () => {
    const notes = makeNotes();
    const { attach, session } = makeStage();
    await attach("raw", program("raw", "plain", notes.file));
    const control = new AbortController();
    const calling = session.call("raw__wait", {}, { signal: control.signal });
    await until(() => notes.lines().includes("called"));
    control.abort();
    expect(await calling).toMatchObject({ error: { code: "cancelled" } });
    await until(() => notes.lines().some((line) => line.startsWith("cancelled")));
    await session.close();
    const events = await Array.fromAsync(session.events());
    expect(events.find(({ type }) => type === "call-progress")?.data).toMatchObject({
      message: "a quarter",
      current: 1,
      total: 4,
    });
  });

  test("that ends in mid-call is an error with its last words, and is started again by the next call", async () => {
    const notes = makeNotes();
    const { attach, session } = makeStage();
    await attach("raw", program("raw", "plain", notes.file));
    const died = await session.call("raw__die", {});
    expect(died.error).toMatchObject({ code: "unavailable", retryable: false });
    expect(died.error!.message).toMatch(/it ended with code 3; it said last: the disk is on fire/);
    expect(await session.call("raw__echo", { text: "again" })).toMatchObject({ ok: true });
    expect(starts(notes)).toBe(2);
  });

  test("that cannot be started says why, and can be tried again", async () => {
    const { attach, runtime } = makeStage();
    const attached = await attach("gone", { command: "no-such-program-anywhere" });
    expect(attached.problem).toMatch(/"no-such-program-anywhere" was not found/);
    expect(runtime.tools.count).toBe(0);
    await attached.refresh();
    expect(attached.problem).toMatch(/was not found/);
  });
});

describe("the pool", () => {
  test("starts one process for all who use a server, however many start it at once", async () => {
    const notes = makeNotes();
    const { attach, pool, session } = makeStage();
    const server = program("raw", "plain", notes.file);
    await Promise.all([attach("a", server), attach("b", server), attach("c", server)]);
    await Promise.all(["a", "b", "c"].map((name) => session.call(`${name}__echo`, { text: name })));
    expect(pool.size).toBe(1);
    expect(starts(notes)).toBe(1);
  });

  test("has only the tools that are used of it, and is shared by those who use others", async () => {
    const notes = makeNotes();
    const { attach, pool, session } = makeStage();
    const server = program("raw", "plain", notes.file);
    await attach("a", { ...server, tools: ["echo"] });
    await attach("b", { ...server, tools: ["!echo"] });
    await attach("c", { ...server, tools: [] });
    const names = session.list().map(({ name }) => name);
    expect(names).toContain("a__echo");
    expect(names.filter((name) => name.startsWith("a__"))).toHaveLength(1);
    expect(names).toContain("b__blocks");
    expect(names).not.toContain("b__echo");
    expect(names.filter((name) => name.startsWith("c__"))).toEqual([]);
    expect(await session.call("b__echo", { text: "hi" })).toMatchObject({ error: { code: "not_found" } });
    expect(pool.size).toBe(1);
    expect(starts(notes)).toBe(1);
  });

  test("stops a server that nobody calls, and starts it again when somebody does", async () => {
    const notes = makeNotes();
    const { attach, session } = makeStage({ idleMs: 50 });
    await attach("raw", program("raw", "plain", notes.file));
    await until(() => !isRunning(pidOf(notes)));
    expect(await session.call("raw__echo", { text: "hi" })).toMatchObject({ ok: true });
    expect(starts(notes)).toBe(2);
  });

  test("stops a server when the last who used it lets go", async () => {
    const notes = makeNotes();
    const { attach, pool } = makeStage({ idleMs: 50 });
    const server = program("raw", "plain", notes.file);
    const [a, b] = [await attach("a", server), await attach("b", server)];
    a[Symbol.dispose]();
    expect(pool.size).toBe(1);
    b[Symbol.dispose]();
    await until(() => pool.size === 0 && !isRunning(pidOf(notes)));
  });

  test("lets a call end whose tool was taken away meanwhile", async () => {
    const notes = makeNotes();
    const { attach, session } = makeStage({ idleMs: 50 });
    const attached = await attach("raw", program("raw", "plain", notes.file));
    const calling = session.call("raw__slow", {});
    await until(() => notes.lines().includes("called"));
    attached[Symbol.dispose]();
    expect(session.list()).toEqual([]);
    expect(await calling).toMatchObject({ ok: true, content: [{ text: "done" }] });
    await until(() => !isRunning(pidOf(notes)));
  });

  test("takes as many answers as there are calls", async () => {
    const { pool } = makeStage();
    const share = pool.share("raw", program("raw"));
    const [echo] = (await share.list()).tools;
    const context = { signal: new AbortController().signal, progress() {} };
    const answers = Array.from({ length: 12_000 }, () => share.call(echo!, { text: "hi" }, context));
    expect((await Promise.all(answers)).every(({ isError }) => isError !== true)).toBe(true);
    share[Symbol.dispose]();
  });

  test("closes the input of a server, tells its group to end, and kills what does not", async () => {
    const notes = makeNotes();
    const { attach, pool } = makeStage();
    await attach("raw", program("raw", "stubborn", notes.file));
    const pid = pidOf(notes);
    await pool[Symbol.asyncDispose]();
    expect(notes.lines()).toContain("told to end");
    expect(isRunning(pid)).toBe(false);
  });

  test("does not wait for a server that never answers when it is closed", async () => {
    const notes = makeNotes();
    const { attach, pool } = makeStage();
    const attaching = attach("raw", program("raw", "never", notes.file));
    await until(() => starts(notes) === 1);
    await pool[Symbol.asyncDispose]();
    expect((await attaching).problem).toMatch(/no longer wanted|has been closed/);
    expect(isRunning(pidOf(notes))).toBe(false);
  });
});

test("PM051: tools of a server that is reached another way ask again, although a rule allows them", async () => {
  const kept = new Map<string, Pinned>();
  const pins: PinStore = {
    get: async (name) => kept.get(name),
    set: async (name, pinned) => void kept.set(name, pinned),
  };
  const { attach, runtime } = makeStage({}, { policy: { rules: [{ tool: "raw__*", approval: "preApproved" }] } });
  const asked: string[] = [];
  const approver: Approver = async ({ reason }) => {
    asked.push(reason);
    return { decision: "allow" };
  };
  const session = runtime.open({ approver });
  const first = await attach("raw", program("raw", "plain"), { pins });
  await session.call("raw__echo", {});
  expect(asked).toEqual([]);
  first[Symbol.dispose]();
  await attach("raw", program("raw", "chatty"), { pins });
  expect(await session.call("raw__echo", {})).toMatchObject({ ok: true });
  expect(asked).toEqual([expect.stringContaining("not what was agreed to before")]);
});

describe("a hostile server", () => {
  test("that never answers is given up", async () => {
    const { attach } = makeStage({ startMs: 400 });
    expect((await attach("raw", program("raw", "never"))).problem).toMatch(/could not be connected to/);
  });

  test.each([
    ["endless", /a line is longer than 16777216 bytes/],
    ["flood", /more than 5000 messages in a second/],
  ])("that sends what never ends is ended: %s", async (mode, why) => {
    const notes = makeNotes();
    const { attach } = makeStage();
    expect((await attach("raw", program("raw", mode, notes.file))).problem).toMatch(why);
    await until(() => !isRunning(pidOf(notes)));
  });

  test("that answers with more than fits is ended, and the call fails", async () => {
    const { attach, session } = makeStage();
    await attach("raw", program("raw"));
    expect(await session.call("raw__huge", {})).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect(await session.call("raw__echo", { text: "hi" })).toMatchObject({ ok: true });
  });

  test("that lists without end is cut short", async () => {
    const { attach, runtime } = makeStage();
    const pages = await attach("pages", program("raw", "pages"));
    expect(pages.warnings).toEqual(["it lists more than fits: the first 100 tools count"]);
    expect(runtime.tools.count).toBe(100);
    const loop = await attach("loop", program("raw", "loop"));
    expect(loop.problem).toBeUndefined();
    expect(runtime.tools.names()).toContain("loop__echo");
  });

  test("cannot hold the thread with its schemas: what cannot be used is left out, the rest stays", async () => {
    const { attach, runtime, session } = makeStage();
    const { warnings } = await attach("raw", program("raw", "bombs"));
    expect(runtime.tools.names()).toEqual(["raw__slow", "raw__echo"]);
    expect(warnings.join("\n")).toMatch(/wide.*longer than/);
    expect(warnings.join("\n")).toMatch(/header.*x-mcp-header/);
    expect(await session.call("raw__slow", { text: `${"a".repeat(5_000)}!` })).toBeDefined();
  });

  test("cannot take names away: each has one of its own, at most 64 characters long", async () => {
    const { attach, runtime } = makeStage();
    const { warnings } = await attach("raw", program("raw", "names"));
    const names = runtime.tools.names();
    expect(names).toHaveLength(9);
    for (const name of names) expect(name).toMatch(/^raw__[A-Za-z][A-Za-z0-9_-]{0,58}$/);
    expect(runtime.tools.get("raw__echo")!.description).toBe("Does echo");
    expect(warnings).toEqual(['tool "echo" is listed more than once: the first counts']);
  });

  test("cannot call itself harmless, but worse than it looks", async () => {
    const { attach, runtime } = makeStage({}, { policy: { rules: [{ capability: "read", approval: "preApproved" }] } });
    await attach("raw", program("raw", "hints"));
    const tools = new Map(
      runtime
        .open()
        .list()
        .map((tool) => [tool.name, tool]),
    );
    expect(tools.get("raw__reads")).toMatchObject({ approval: "ask", capabilities: ["process"] });
    expect(tools.get("raw__destroys")).toMatchObject({ approval: "ask", capabilities: ["process", "write"] });
  });
});
