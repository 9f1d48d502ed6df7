import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EventOf, EventType } from "../../../src/core/event.ts";
import { createDesk, type DeskOptions } from "../../../src/transports/desk.ts";
import { serveSocket } from "../../../src/transports/native/connection.ts";
import { createFlow } from "../../../src/transports/native/socket.ts";
import { createNative } from "../../../src/transports/native/native.ts";
import { ROUTES } from "../../../src/transports/native/routes.ts";
import type { WireEvent } from "../../../src/transports/native/wire.ts";
import { makeRuntime } from "../stage.ts";
import { makeTalk, type Sent, type Talk } from "./talk.ts";

const ann = { id: "ann", client: "test" };

describe("a connection", () => {
  it("A4-21: answers each command with its id, numbers from 1 without gaps, and one final event, which is the last", async () => {
    const { talk } = connect();
    const answers = await Promise.all([
      talk.send({ id: 1, type: "tools.call", params: { tool: "echo", input: { text: "a" } } }),
      talk.send({ id: "1", type: "prompt", params: { prompt: "hello" } }),
      talk.send({ id: "x", type: "tools.info", params: { tool: "none" } }),
      talk.send({ id: "y", type: "ping" }),
    ]);
    for (const events of answers) {
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events.filter(({ final }) => final)).toEqual([events.at(-1)]);
    }
    expect(answers.map((events) => events.at(-1)!.type)).toEqual(["result", "result", "error", "pong"]);
    expect(answers[1]!.length).toBeGreaterThan(3);
  });

  it.each([
    ["an unknown command", { id: 7, type: "tools.lst" }, "not_found", "UNKNOWN_COMMAND", `did you mean "tools.list"`],
    ["a missing parameter", { id: 7, type: "tools.call", params: {} }, "invalid_input", "INVALID_PARAMS", "tool"],
    ["an unknown parameter", { id: 7, type: "ping", params: { x: 1 } }, "invalid_input", "INVALID_PARAMS", "x"],
    [
      "a session that is not there",
      { id: 7, type: "tools.list", session: "no" },
      "not_found",
      "SESSION_NOT_FOUND",
      "no",
    ],
    ["no type", { id: 7 }, "invalid_input", "INVALID_COMMAND", "type"],
    ["a run that is not there", { id: 7, type: "run.resume" }, "not_found", "NOT_FOUND", ""],
  ])("A4-22: refuses %s with a code, and goes on", async (_, command, code, name, message) => {
    const { talk } = connect();
    const [event, ...others] = await talk.send(command);
    expect(others).toEqual([]);
    expect(event).toMatchObject({ id: 7, seq: 1, type: "error", data: { code, name }, final: true });
    expect((event!.data as { message: string }).message).toContain(message);
    expect((await talk.send({ id: 8, type: "ping" }))[0]).toMatchObject({ type: "pong" });
  });

  it.each(["{", "nonsense", "[1]", "null", '"text"', '{"id":{},"type":"ping"}'])(
    "A4-22: answers what is no command without an id, and goes on: %s",
    async (text) => {
      const { talk } = connect();
      talk.raw(text);
      expect(await talk.until(({ final }) => final)).toMatchObject({ id: null, seq: 1, type: "error", final: true });
      expect((await talk.send({ id: 8, type: "ping" })).at(-1)).toMatchObject({ type: "pong" });
    },
  );

  it("A4-13: takes the answer to an approval request while the prompt that asked for it runs", async () => {
    const { talk } = connect();
    const prompted = talk.send({ id: 1, type: "prompt", params: { prompt: "send it" } });
    const { data } = (await talk.until(({ type }) => type === "approval-request")) as Streamed<"approval-request">;
    const waiting = await talk.send({ id: 2, type: "approval.list" });
    expect(waiting[0]).toMatchObject({
      data: { approvals: [{ id: data.data.id, tool: "send", session: data.session }] },
    });
    const answer = { approval: data.data.id, decision: "allow" };
    expect((await talk.send({ id: 3, type: "approval.answer", params: answer }))[0]).toMatchObject({ type: "result" });
    expect((await prompted).at(-1)).toMatchObject({ data: { status: "completed", text: "It is sent" } });
    expect((await talk.send({ id: 4, type: "approval.answer", params: answer }))[0]).toMatchObject({
      data: { code: "duplicate" },
    });
  });

  it("A4-13, A4-25: cancels a prompt while it runs, and says when there is nothing to cancel", async () => {
    const { talk } = connect();
    const prompted = talk.send({ id: 1, type: "prompt", params: { prompt: "be slow" } });
    await talk.until(({ type }) => type === "call-progress");
    expect((await talk.send({ id: 2, type: "cancel", params: { id: 1 } }))[0]).toMatchObject({
      data: { cancelled: 1 },
    });
    expect((await prompted).at(-1)).toMatchObject({ data: { status: "cancelled" } });
    expect((await talk.send({ id: 3, type: "cancel" }))[0]).toMatchObject({
      type: "result",
      data: { cancelled: 0, message: "There is nothing to cancel" },
    });
  });

  it("cancels a call by its own id, and reports its progress", async () => {
    const { talk } = connect();
    const called = talk.send({ id: 1, type: "tools.call", params: { tool: "slow", call: "mine" } });
    const report = await talk.until(({ type }) => type === "call-progress");
    expect(report).toMatchObject({ id: 1, data: { call: "mine", data: { message: "waiting", current: 1, total: 2 } } });
    await talk.send({ id: 2, type: "cancel", params: { id: "mine" } });
    expect((await called).at(-1)).toMatchObject({ data: { ok: false, error: { code: "cancelled" } } });
  });

  it("A3-12: keeps sessions apart, and calls in one session too", async () => {
    const { talk } = connect();
    const made = await Promise.all([1, 2].map((id) => talk.send({ id, type: "session.create" })));
    const sessions = made.map(([event]) => (event!.data as { session: string }).session);
    const asked = [...sessions, ...sessions, ...sessions];
    const answers = await Promise.all(
      asked.map((session, index) =>
        talk.send({ id: `c${index}`, type: "tools.call", session, params: { tool: "where" } }),
      ),
    );
    expect(answers.map((events) => (events.at(-1)!.data as { structured: unknown }).structured)).toEqual(
      asked.map((session) => ({ session })),
    );
    const prompts = ["one", "two", "three"].map((prompt, index) =>
      talk.send({ id: `p${index}`, type: "prompt", session: sessions[0], params: { prompt } }),
    );
    // Each waits for the one before, and goes on from it.
    expect((await Promise.all(prompts)).map((events) => (events.at(-1)!.data as { text: string }).text)).toEqual([
      "First",
      "Second",
      "Third",
    ]);
  });

  it("A4-32: tells what agents below the prompted one do, with their run, the call that started them, and depth", async () => {
    const { talk } = connect();
    const events = await talk.send({ id: 1, type: "prompt", params: { prompt: "ask a helper" } });
    const told = events.filter(({ final }) => !final).map(({ data }) => data as EventOf<EventType>);
    const start = told.find(({ type, chain }) => type === "run-start" && chain?.length === 2)!;
    const call = told.find(({ type, data }) => type === "call-start" && (data as { tool: string }).tool === "agent")!;
    expect(start).toMatchObject({
      parent: call.call,
      chain: ["assistant", "helper"],
      data: { agent: "helper", depth: 1 },
    });
    const child = told.filter(({ run }) => run === start.run);
    expect(child.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["turn-start", "call-start", "turn-end", "run-end"]),
    );
    expect(events.at(-1)).toMatchObject({ data: { text: "The helper said so" } });
  });

  it("A4-32: answers a prompt to an agent that is not there with an error, and can cancel the run of a helper", async () => {
    const { talk } = connect();
    const events = await talk.send({ id: 1, type: "prompt", params: { prompt: "x", agent: "nobody" } });
    expect(events.at(-1)).toMatchObject({ data: { status: "failed", error: { code: "not_found" } } });
    const slow = talk.send({ id: 2, type: "prompt", params: { prompt: "be slow", agent: "helper" } });
    await talk.until(({ type }) => type === "call-progress");
    const { data } = (await talk.until(({ type, id }) => type === "run-start" && id === 2)) as Streamed<"run-start">;
    await talk.send({ id: 3, type: "cancel", params: { id: data.run! } });
    expect((await slow).at(-1)).toMatchObject({ data: { status: "cancelled" } });
  });

  it("A4-41: gives images whole in a result, and how big they are in events", async () => {
    const { talk } = connect();
    const events = await talk.send({ id: 1, type: "tools.call", params: { tool: "picture" } });
    expect(events.at(-1)).toMatchObject({
      data: { content: [{ type: "image", data: expect.stringMatching(/^iVBOR/) }] },
    });
    const end = events.find(({ type }) => type === "call-end") as Streamed<"call-end">;
    expect(end.data.data.result).toMatchObject({
      content: [{ type: "text", text: expect.stringMatching(/^\[image image\/png, 70 bytes/) }],
    });
    const attachments = [{ name: "a.png", data: "aVZCT1J3MEtHZ28=", mimeType: "image/png" }];
    const prompted = await talk.send({ id: 2, type: "prompt", params: { prompt: "look", attachments } });
    const start = prompted.find(({ type }) => type === "run-start") as Streamed<"run-start">;
    expect(start.data.data.message.role === "user" && start.data.data.message.content).toContainEqual(
      expect.objectContaining({ type: "file", mimeType: "image/png", omitted: 11 }),
    );
    expect(JSON.stringify([...events.slice(0, -1), ...prompted])).not.toMatch(/iVBOR|aVZCT1/);
  });

  it("tells the log from a sequence number on, then what comes, until it is cancelled", async () => {
    const { talk } = connect();
    const [made] = await talk.send({ id: 1, type: "session.create" });
    const { session } = made!.data as { session: string };
    const echo = { type: "tools.call", session, params: { tool: "echo", input: { text: "a" } } };
    await talk.send({ id: 2, ...echo });
    const [first] = await talk.send({ id: 3, type: "events", session, params: { from: 3 } });
    expect(first).toMatchObject({ type: "execute-start", data: { seq: 3 } });
    const following = talk.send({ id: 4, type: "events", session, params: { from: 4, follow: true } });
    await talk.send({ id: 5, ...echo });
    await talk.until(({ id, data }) => id === 4 && (data as { seq?: number }).seq === 7);
    await talk.send({ id: 6, type: "cancel", session, params: { id: 4 } });
    const events = await following;
    expect(events.slice(0, -1).map(({ data }) => (data as { seq: number }).seq)).toEqual([4, 5, 6, 7]);
    expect(events.at(-1)).toMatchObject({ type: "result", data: { next: 8 } });
  });

  it("lets a run go on in the background when its client leaves, and tells the rest to the next one", async () => {
    const { talk, native } = connect();
    const [made] = await talk.send({ id: 1, type: "session.create" });
    const { session } = made!.data as { session: string };
    const params = { prompt: "send it", background: true };
    const [started] = await talk.send({ id: 2, type: "prompt", session, params });
    expect(started).toMatchObject({ type: "result", data: { run: expect.any(String), session } });
    talk.leave();
    const second = join(native);
    const following = second.send({ id: 1, type: "events", session, params: { follow: true } });
    const { data } = (await second.until(({ type }) => type === "approval-request")) as Streamed<"approval-request">;
    await second.send({ id: 2, type: "approval.answer", params: { approval: data.data.id, decision: "allow" } });
    await second.until(({ type }) => type === "run-end");
    await second.send({ id: 3, type: "session.close", session });
    expect((await following).at(-1)).toMatchObject({ type: "result" });
  });

  it("cancels what a client waits for when it leaves", async () => {
    const { talk, desk, done } = connect();
    talk.raw(JSON.stringify({ id: 1, type: "tools.call", params: { tool: "slow" } }));
    await talk.until(({ type }) => type === "call-progress");
    expect(desk.atWork).toBe(1);
    talk.leave();
    await done;
    expect(desk.atWork).toBe(0);
    expect(desk.sessions(ann)).toEqual([]);
  });

  it("leaves nothing behind of clients that leave at any moment", async () => {
    const { native, desk } = connect();
    for (let client = 0; client < 200; client++) {
      const talk = makeTalk();
      const done = serveSocket(talk.socket, { native, principal: ann });
      const type = client % 2 === 0 ? "prompt" : "tools.call";
      const params = type === "prompt" ? { prompt: "be slow" } : { tool: "slow" };
      talk.raw(JSON.stringify({ id: 1, type, params }));
      for (let tick = 0; tick < client; tick++) await Promise.resolve();
      if (client % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      const told = talk.events.length;
      talk.leave();
      await done;
      expect(talk.events.length).toBe(told);
    }
    expect(desk.atWork).toBe(0);
    expect(desk.sessions(ann)).toEqual([]);
  });

  it("answers whatever is sent, each once, and lives on", async () => {
    const { talk } = connect();
    const part = fc.oneof(fc.jsonValue(), fc.constantFrom(...Object.keys(ROUTES)));
    const command = fc.record({ type: part, session: part, params: part }, { requiredKeys: [] });
    let id = 0;
    await fc.assert(
      fc.asyncProperty(command, async (sent) => {
        const events = await talk.send({ ...sent, id: ++id } as Sent);
        expect(events.filter(({ final }) => final)).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
    const texts = fc.sample(fc.oneof(fc.string(), fc.json()), 200);
    for (const text of texts) talk.raw(text);
    expect((await talk.send({ id: "last", type: "ping" })).at(-1)).toMatchObject({ type: "pong" });
    expect(talk.events.filter((event) => event.id === null && event.final)).toHaveLength(texts.length);
  });

  it("answers what was asked before a client sends its last, and ends what would follow for ever", async () => {
    const { talk, done } = connect();
    const answers = [
      talk.send({ id: 1, type: "tools.call", params: { tool: "where" } }),
      talk.send({ id: 2, type: "events", params: { follow: true } }),
    ];
    talk.end();
    await done;
    expect((await Promise.all(answers)).map((events) => events.at(-1)!.type)).toEqual(["result", "result"]);
  });

  it("A4-25: greets with its version, finds the session it is for, and is closed with 4004 where there is none", async () => {
    const { native, desk } = connect();
    const { id } = desk.open(ann);
    const greeted = join(native, { session: id, greets: true });
    expect(await greeted.until(({ type }) => type === "connected")).toEqual({
      id: null,
      seq: 1,
      type: "connected",
      data: { protocol: 1, version: expect.stringMatching(/^\d+\./), session: id },
      final: true,
    });
    expect((await greeted.send({ id: 1, type: "tools.call", params: { tool: "where" } })).at(-1)).toMatchObject({
      data: { structured: { session: id } },
    });
    const lost = join(native, { session: "none", greets: true });
    await lost.until(({ type }) => type === "error");
    await expect.poll(() => lost.closed).toEqual([{ code: 4004, reason: "SESSION_NOT_FOUND" }]);
  });

  it("refuses a second command with an id that is at work", async () => {
    const { talk } = connect();
    const slow = talk.send({ id: 1, type: "tools.call", params: { tool: "slow" } });
    await talk.until(({ type }) => type === "call-progress");
    talk.raw(JSON.stringify({ id: 1, type: "ping" }));
    expect(await talk.until(({ type }) => type === "error")).toMatchObject({ data: { code: "duplicate" } });
    await slow;
  });

  it("is busy when the principal has too much at work", async () => {
    const { talk } = connect({ work: 1 });
    const slow = talk.send({ id: 1, type: "tools.call", params: { tool: "slow" } });
    await talk.until(({ type }) => type === "call-progress");
    const [refused] = await talk.send({ id: 2, type: "tools.call", params: { tool: "where" } });
    expect(refused).toMatchObject({ type: "error", data: { code: "busy", retryable: true } });
    await talk.send({ id: 3, type: "cancel" });
    await slow;
  });

  it("lets a client that reads nothing wait", async () => {
    const { talk } = connect();
    talk.unread = 2 ** 21;
    talk.raw(JSON.stringify({ id: 1, type: "ping" }));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(talk.events).toEqual([]);
    talk.unread = 0;
    await talk.until(({ type }) => type === "pong");
  });

  it("leaves a client that reads nothing while too much piles up", async () => {
    const talk = makeTalk();
    const gone = new AbortController();
    talk.socket.onClose(() => gone.abort());
    const flow = createFlow(talk.socket, gone.signal);
    expect(flow.room(2 ** 26)).toBe(undefined);
    talk.unread = 2 ** 21;
    await Promise.all([flow.room(2 ** 24), flow.room(2 ** 24 + 1)]);
    expect(talk.closed).toEqual([{ code: 1013, reason: expect.stringContaining("read on") }]);
  });

  it("begins no more work for a client that does not read, and all of it for one that does", async () => {
    const { talk, desk } = connect();
    const call = (id: number) => talk.send({ id, type: "tools.call", params: { tool: "where" } });
    talk.unread = 2 ** 21;
    const calls = Array.from({ length: 100 }, (_, id) => call(id));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(desk.atWork).toBe(0);
    talk.unread = 0;
    await Promise.all(calls);
    // Those that wait for a person hold nobody up.
    const waiting = Array.from({ length: 50 }, (_, id) =>
      talk.send({ id, type: "tools.call", params: { tool: "send", input: { text: "a" } } }),
    );
    expect((await call(50)).at(-1)).toMatchObject({ type: "result" });
    await expect.poll(() => desk.atWork).toBe(50);
    await talk.send({ id: 51, type: "cancel" });
    await Promise.all(waiting);
  });

  it("A4-38: tells its commands, events, features and versions", async () => {
    const { talk } = connect();
    const [told] = await talk.send({ id: 1, type: "capabilities" });
    expect(told!.data).toMatchObject({
      protocol: 1,
      version: expect.any(String),
      commands: expect.arrayContaining([
        expect.objectContaining({ type: "prompt", streams: true, session: "required", params: expect.any(Object) }),
        expect.objectContaining({ type: "ping", http: "GET /ping" }),
      ]),
      events: expect.arrayContaining(["call-start", "approval-request", "model-delta", "result", "error"]),
      features: expect.arrayContaining(["approvals", "cancel"]),
    });
  });
});

type Streamed<Type extends EventType> = WireEvent & { readonly data: EventOf<Type> };

function connect(options: DeskOptions = {}) {
  const desk = createDesk(makeRuntime(), options);
  onTestFinished(() => desk.close(AbortSignal.abort()));
  const native = createNative(desk);
  const talk = makeTalk();
  const done = serveSocket(talk.socket, { native, principal: ann });
  return { talk, desk, native, done };
}

function join(native: ReturnType<typeof createNative>, options: { session?: string; greets?: boolean } = {}): Talk {
  const talk = makeTalk();
  void serveSocket(talk.socket, { native, principal: ann, ...options });
  return talk;
}
