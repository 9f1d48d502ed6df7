import { afterEach, describe, expect, it } from "vitest";
import { choose, type ClientSettings, connectClient, openStage, type Stage, type TestClient } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

const ALL = { fs: { readTextFile: true, writeTextFile: true }, terminal: true };
const NAMES = ["client_read_file", "client_terminal", "client_write_file"];
const ann = { id: "ann" };

/** A client in a session, whose tools a test calls itself. Whatever asks is allowed by the mode. */
async function seat(settings: ClientSettings = {}): Promise<{ client: TestClient; id: string }> {
  stage = openStage([], {}, { approve: "all" });
  const client = await connectClient(stage, { asks: false, capabilities: ALL, ...settings });
  return { client, id: await client.open() };
}

function lent(id: string): string[] {
  const session = stage.desk.sessions(ann).find((one) => one.id === id);
  return (session?.list() ?? []).map(({ name }) => name).filter((name) => name.startsWith("client_"));
}

const call = (id: string, tool: string, input: object, signal?: AbortSignal) =>
  stage.desk
    .sessions(ann)
    .find((one) => one.id === id)!
    .call(tool, input as never, signal ? { signal } : {});

describe("tools of the client", () => {
  it.each([
    [{}, []],
    [{ fs: { readTextFile: true } }, ["client_read_file"]],
    [{ fs: { writeTextFile: true } }, ["client_write_file"]],
    [{ terminal: true }, ["client_terminal"]],
    [ALL, NAMES],
  ])("A4-20: appear only for a client that announces them: %j", async (capabilities, names) => {
    const { id } = await seat({ capabilities });
    expect(lent(id)).toEqual(names);
  });

  it("are of their session alone", async () => {
    await seat();
    const other = stage.desk.open(ann, { id: "other" });
    expect(other.list().map(({ name }) => name)).not.toContain("client_read_file");
  });

  it("A4-20: vanish with the connection, and a call without a client is an error result", async () => {
    stage = openStage([], {}, { approve: "all" });
    const session = stage.desk.open(ann, { id: "shared" });
    await session.call("echo", { text: "on record" });
    const client = await connectClient(stage, { asks: false, capabilities: ALL });
    await client.agent.request("session/resume", { sessionId: "shared", cwd: "/some/place" });
    expect(lent("shared")).toEqual(NAMES);
    client.close();
    await client.served.closed;
    expect(session.closing).toBe(false);
    expect(lent("shared")).toEqual([]);
    expect(await session.call("client_read_file", { path: "/a.md" })).toMatchObject({
      ok: false,
      error: { code: "not_found" },
    });
  });

  it("A4-20: end with an error result when the client goes while they work", async () => {
    const asked = Promise.withResolvers<void>();
    stage = openStage([], {}, { approve: "all" });
    const session = stage.desk.open(ann, { id: "shared" });
    await session.call("echo", { text: "on record" });
    const never = () => {
      asked.resolve();
      return new Promise(() => {});
    };
    const answers = { "fs/read_text_file": never };
    const client = await connectClient(stage, { asks: false, capabilities: ALL, answers });
    await client.agent.request("session/resume", { sessionId: "shared", cwd: "/some/place" });
    const result = session.call("client_read_file", { path: "/a.md" });
    await asked.promise;
    client.close();
    expect(await result).toMatchObject({ ok: false, error: { code: "unavailable" } });
  });

  it("read and write files as the client has them", async () => {
    const files = new Map([["/a.md", "not saved yet"]]);
    const answers = {
      "fs/read_text_file": ({ path }: { path: string }) => ({ content: files.get(path) }),
      "fs/write_text_file": ({ path, content }: { path: string; content: string }) => (files.set(path, content), {}),
    };
    const { id } = await seat({ answers });
    expect(await call(id, "client_read_file", { path: "/a.md" })).toMatchObject({
      ok: true,
      content: [{ text: "not saved yet" }],
    });
    expect(await call(id, "client_write_file", { path: "/b.md", content: "new" })).toMatchObject({ ok: true });
    expect(files.get("/b.md")).toBe("new");
    expect(await call(id, "client_read_file", { path: "b.md" })).toMatchObject({ error: { code: "invalid_input" } });
  });

  it("ask before they touch anything", async () => {
    stage = openStage([{ calls: [{ tool: "client_write_file", input: { path: "/a.md", content: "new" } }] }, "Well"]);
    const client = await connectClient(stage, { capabilities: ALL, permit: () => choose("deny") });
    await client.prompt(await client.open(), "Write");
    expect(client.asked[0]!.toolCall).toMatchObject({
      kind: "edit",
      locations: [{ path: "/a.md" }],
      content: [{ type: "diff", path: "/a.md", oldText: null, newText: "new" }, { type: "content" }],
    });
    expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  });
});

describe("a terminal of the client", () => {
  /** A client whose terminals end when a test says so. */
  function terminals(exit: () => unknown = () => ({ exitCode: 0 })) {
    const released: string[] = [];
    const created: any[] = [];
    const answers = {
      "terminal/create": (params: unknown) => (created.push(params), { terminalId: `t${created.length}` }),
      "terminal/wait_for_exit": exit,
      "terminal/output": () => ({ output: "42", truncated: false }),
      "terminal/release": ({ terminalId }: { terminalId: string }) => (released.push(terminalId), {}),
    };
    return { released, created, answers };
  }

  it("A4-20: runs a program, tells its output and is released", async () => {
    const { released, created, answers } = terminals(() => ({ exitCode: 3 }));
    const { id } = await seat({ answers });
    const result = await call(id, "client_terminal", { command: "make", args: ["test"] });
    expect(result).toMatchObject({ ok: true, structured: { exitCode: 3, output: "42" } });
    expect(created).toMatchObject([{ sessionId: id, command: "make", args: ["test"], cwd: "/some/place" }]);
    expect(released).toEqual(["t1"]);
  });

  it("A4-20: is released when the call is cancelled, also when it is made too late", async () => {
    const waiting = Promise.withResolvers<void>();
    const { released, answers } = terminals(() => {
      waiting.resolve();
      return new Promise(() => {});
    });
    const slow = Promise.withResolvers<void>();
    const late = Promise.withResolvers<{ terminalId: string }>();
    let made = 0;
    const create = () => {
      if (++made === 1) return { terminalId: "early" };
      slow.resolve();
      return late.promise;
    };
    const { id } = await seat({ answers: { ...answers, "terminal/create": create } });
    const [first, second] = [new AbortController(), new AbortController()];
    const early = call(id, "client_terminal", { command: "sleep" }, first.signal);
    await waiting.promise;
    first.abort();
    expect(await early).toMatchObject({ ok: false, error: { code: "cancelled" } });
    await expect.poll(() => released).toEqual(["early"]);
    const lost = call(id, "client_terminal", { command: "sleep" }, second.signal);
    await slow.promise;
    second.abort();
    expect(await lost).toMatchObject({ ok: false, error: { code: "cancelled" } });
    late.resolve({ terminalId: "late" });
    await expect.poll(() => released).toEqual(["early", "late"]);
  });

  it("A4-20: is released when the client fails it", async () => {
    const { released, answers } = terminals(() => {
      throw new Error("lost");
    });
    const { id } = await seat({ answers });
    expect(await call(id, "client_terminal", { command: "make" })).toMatchObject({
      ok: false,
      error: { code: "unavailable" },
    });
    expect(released).toEqual(["t1"]);
  });

  it("is shown with its call as long as it lives and after", async () => {
    const { answers } = terminals();
    stage = openStage([{ calls: [{ tool: "client_terminal", input: { command: "make" } }] }, "Made"]);
    const client = await connectClient(stage, { capabilities: ALL, answers });
    await client.prompt(await client.open(), "Make it");
    const shown = client.of("tool_call_update").filter(({ content }) => content?.[0]?.type === "terminal");
    expect(shown.map(({ status }) => status)).toEqual([undefined, "completed"]);
    expect(client.of("tool_call")[0]).toMatchObject({ kind: "execute", title: "client_terminal: make" });
  });
});
