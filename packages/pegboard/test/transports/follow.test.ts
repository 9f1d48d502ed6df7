import { describe, expect, it } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { createRuntime, defineTool, memoryStore, type Session } from "../../src/index.ts";
import { followEvents } from "../../src/transports/follow.ts";

const echo = defineTool({
  name: "echo",
  description: "Says it again",
  input: { type: "object" },
  approval: "preApproved",
  execute: () => "",
});

const long = defineTool({ ...echo, name: "long", execute: () => "x".repeat(30_000) });

describe("whoever follows a session", () => {
  it("hears what comes from now on, until it is told to stop", async () => {
    const { session, read } = open();
    await session.call("echo");
    const stop = Promise.withResolvers<void>();
    const events = followEvents({ session, read, until: stop.promise });
    await session.call("echo");
    stop.resolve();
    expect(await numbers(events)).toEqual([5, 6, 7]);
  });

  it("reads what was before, then hears what comes, and misses nothing between", async () => {
    const { session, read } = open();
    for (let call = 0; call < 5; call++) await session.call("echo");
    const stop = Promise.withResolvers<void>();
    const seen: number[] = [];
    const following = (async () => {
      for await (const { seq } of followEvents({ session, read, from: 3, until: stop.promise })) {
        seen.push(seq);
        // It writes while it reads.
        if (seq < 60) void session.call("echo");
      }
    })();
    await expect.poll(() => seen.at(-1)).toBe(16 + 57 * 3);
    stop.resolve();
    await following;
    expect(seen).toEqual(Array.from({ length: seen.length }, (_, index) => index + 3));
  });

  it("reads on in the log when it was too slow, and misses only what passed by", async () => {
    const { session, read } = open();
    const stop = Promise.withResolvers<void>();
    const events = followEvents({ session, read, from: 1, until: stop.promise });
    await session.call("echo");
    const first = await events.next();
    // Nobody reads while four times as much comes as is kept.
    for (let call = 0; call < 350; call++) await session.call("echo");
    stop.resolve();
    const seqs = [(first.value as Event).seq, ...(await numbers(events))];
    expect(seqs).toEqual(Array.from({ length: 1 + 3 * 351 }, (_, index) => index + 1));
  });

  it("keeps few events for a reader that is slow when they are long, and reads the rest in the log", async () => {
    const { session, read } = open();
    const stop = Promise.withResolvers<void>();
    const asked: number[] = [];
    const spy: typeof read = (from, limit) => {
      asked.push(from);
      return read(from, limit);
    };
    const events = followEvents({ session, read: spy, until: stop.promise });
    for (let call = 0; call < 60; call++) await session.call("long");
    stop.resolve();
    // The first is that the session was opened.
    expect(await numbers(events)).toEqual(Array.from({ length: 1 + 3 * 60 }, (_, index) => index + 1));
    expect(asked).not.toEqual([]);
  });

  it("finds what another process wrote when it hears the next event", async () => {
    const store = { ...memoryStore(), shared: true };
    const [here, there] = [open(store, "one"), open(store, "one")];
    await here.session.call("echo");
    const stop = Promise.withResolvers<void>();
    const events = followEvents({ session: here.session, read: here.read, from: 1, until: stop.promise });
    await there.session.call("echo");
    await here.session.call("echo");
    stop.resolve();
    const all = await here.read(1, 100);
    expect(await numbers(events)).toEqual(all.map(({ seq }) => seq));
    expect(all.length).toBeGreaterThan(10);
  });

  it("ends with the session, behind its last event", async () => {
    const { session, read } = open();
    await session.call("echo");
    const events = followEvents({ session, read, from: 4, until: new Promise(() => {}) });
    const seen = numbers(events);
    await session.close();
    expect(await seen).toEqual([4, 5]);
  });

  it("hears only what belongs to it", async () => {
    const { session, read } = open();
    const stop = Promise.withResolvers<void>();
    const belongs = ({ call }: Event) => call === "mine";
    const events = followEvents({ session, read, belongs, until: stop.promise });
    await Promise.all(["mine", "other"].map((id) => session.call("echo", {}, { id })));
    stop.resolve();
    const types: string[] = [];
    for await (const { type } of events) types.push(type);
    expect(types).toEqual(["call-start", "execute-start", "call-end"]);
  });
});

async function numbers(events: AsyncIterable<Event>): Promise<number[]> {
  const seqs: number[] = [];
  for await (const { seq } of events) seqs.push(seq);
  return seqs;
}

function open(
  store = memoryStore(),
  id?: string,
): { session: Session; read: Parameters<typeof followEvents>[0]["read"] } {
  const runtime = createRuntime({ tools: [echo, long], store });
  const session = runtime.open(id === undefined ? {} : { id });
  return { session, read: (from, limit) => store.read({ session: session.id, from, limit }) };
}
