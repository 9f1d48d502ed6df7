import { describe, expect, it } from "vitest";
import { createRuntime, defineTool, memoryStore } from "../../src/index.ts";
import { createDesk } from "../../src/transports/desk.ts";

const echo = defineTool({
  name: "echo",
  description: "Says it again",
  input: { type: "object", properties: { text: { type: "string" } } },
  approval: "preApproved",
  execute: ({ text }) => text ?? "",
});

const ann = { id: "ann", client: "test" };
const ben = { id: "ben" };

describe("the desk", () => {
  it("finds a session for its principal alone", async () => {
    const desk = createDesk(createRuntime({ tools: [echo] }));
    const session = desk.open(ann, { id: "one" });
    expect(await desk.find(ann, "one")).toBe(session);
    await expect(desk.find(ben, "one")).rejects.toMatchObject({ code: "not_found" });
    await expect(desk.find(ben, "none")).rejects.toMatchObject({ code: "not_found" });
    expect(desk.sessions(ben)).toEqual([]);
    await desk.close();
  });

  it("goes on with a session of the log, once, however many ask at once", async () => {
    const desk = createDesk(createRuntime({ tools: [echo] }));
    await desk.open(ann, { id: "one" }).call("echo", { text: "a" });
    expect(await desk.leave(ann, "one")).toBe(true);
    await expect(desk.find(ben, "one")).rejects.toMatchObject({ code: "not_found" });
    const [first, second] = await Promise.all([desk.find(ann, "one"), desk.find(ann, "one")]);
    expect(first).toBe(second);
    await desk.close();
  });

  it("is busy for one principal and open for the next", async () => {
    const desk = createDesk(createRuntime(), { sessions: 1, work: 1 });
    desk.open(ann);
    expect(() => desk.open(ann)).toThrow(expect.objectContaining({ code: "busy", retryable: true }));
    desk.open(ben);
    const work = desk.enter(ann);
    expect(() => desk.enter(ann)).toThrow(expect.objectContaining({ code: "busy" }));
    work[Symbol.dispose]();
    work[Symbol.dispose]();
    expect(desk.atWork).toBe(0);
    desk.enter(ann)[Symbol.dispose]();
    await desk.close();
  });

  it("A2-33: ends of the sessions that nobody uses those alone that were opened so", async () => {
    const desk = createDesk(createRuntime({ limits: { sessionIdleMs: 20 } }));
    const held = desk.open(ann);
    desk.use(held)[Symbol.dispose]();
    const used = desk.open(ann, { endsIdle: true });
    using _use = desk.use(used);
    await desk.open(ann, { endsIdle: true }).closed;
    expect([held.closing, used.closing]).toEqual([false, false]);
    await desk.close();
  });

  it("waits for what is at work when it closes, and takes no more", async () => {
    const desk = createDesk(createRuntime());
    const work = desk.enter(ann);
    const closed = desk.close();
    expect(() => desk.open(ann)).toThrow(expect.objectContaining({ code: "unavailable" }));
    expect(() => desk.enter(ann)).toThrow(expect.objectContaining({ code: "unavailable" }));
    const done = Symbol("done");
    expect(await Promise.race([closed, Promise.resolve(done)])).toBe(done);
    work[Symbol.dispose]();
    await closed;
  });

  it("does not wait longer than it is told to", async () => {
    const desk = createDesk(createRuntime());
    desk.enter(ann);
    const given = new AbortController();
    const closed = desk.close(given.signal);
    given.abort();
    await closed;
    expect(desk.closing).toBe(true);
  });

  it("forgets a session that is closed elsewhere, and goes on with it when it is asked for", async () => {
    const runtime = createRuntime({ tools: [echo] });
    const desk = createDesk(runtime, { sessions: 1 });
    const session = desk.open(ann, { id: "one" });
    await session.call("echo", { text: "a" });
    const closing = session.close();
    // It takes no work any more, and is not the principal's to find again before it is closed.
    expect(desk.sessions(ann)).toEqual([]);
    const again = await desk.find(ann, "one");
    await closing;
    expect(again).not.toBe(session);
    expect(await again.call("echo", { text: "b" })).toMatchObject({ ok: true });
    await runtime.sessions.delete("one");
    expect(desk.sessions(ann)).toEqual([]);
    desk.open(ann);
    await desk.close();
  });

  it("takes the first answer to an approval request, from its principal alone", async () => {
    const send = defineTool({ ...echo, name: "send", approval: "ask" });
    const desk = createDesk(createRuntime({ tools: [send] }));
    const session = desk.open(ann);
    const call = session.call("send", { text: "a" });
    await expect.poll(() => session.pending).toHaveLength(1);
    const { id } = session.pending[0]!;
    await expect(desk.answer(ben, id, { decision: "allow" })).rejects.toMatchObject({ code: "not_found" });
    await expect(desk.answer(ann, id.slice(0, 8), { decision: "allow" })).rejects.toMatchObject({ code: "not_found" });
    await expect(desk.answer(ann, id, { decision: "allow", remember: "rule" })).rejects.toMatchObject({
      code: "invalid_input",
    });
    const answers = [desk.answer(ann, id, { decision: "allow" }), desk.answer(ann, id, { decision: "deny" })];
    const [first, second] = await Promise.allSettled(answers);
    expect(first).toMatchObject({ status: "fulfilled" });
    expect(second).toMatchObject({ status: "rejected", reason: { code: "duplicate" } });
    expect(await call).toMatchObject({ ok: true });
    await expect(desk.answer(ben, id, { decision: "deny" })).rejects.toMatchObject({ code: "not_found" });
    await desk.close();
  });

  it("answers what another process waits with through the log that they share", async () => {
    const store = { ...memoryStore(), shared: true };
    const send = defineTool({ ...echo, name: "send", approval: "ask" });
    const [here, there] = [0, 1].map(() => createDesk(createRuntime({ tools: [send], store })));
    const session = there!.open(ann);
    const call = session.call("send", { text: "a" });
    await expect.poll(() => session.pending).toHaveLength(1);
    const { id } = session.pending[0]!;
    await expect(here!.answer(ben, id, { decision: "allow" })).rejects.toMatchObject({ code: "not_found" });
    await here!.answer(ann, id, { decision: "allow" });
    expect(await call).toMatchObject({ ok: true });
    await Promise.all([here!.close(), there!.close()]);
  });
});
