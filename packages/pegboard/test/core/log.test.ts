import { setTimeout } from "node:timers/promises";
import { defineTool } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import { PegboardError } from "../../src/core/error.ts";
import type { Event } from "../../src/core/event.ts";
import { SessionLog } from "../../src/core/log.ts";
import { createRuntime } from "../../src/runtime.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import type { EventQuery, Store } from "../../src/stores/store.ts";

const START = { principal: "p", client: "c", cwd: "/", metadata: {} };

/** A store whose appends are refused while `full` says so. */
function fillable(): Store & { full: boolean } {
  const store = memoryStore();
  return {
    ...store,
    full: false,
    async append(events) {
      if (this.full) throw new PegboardError("unavailable", "The disk is full", { retryable: true });
      return store.append(events);
    },
  };
}

describe("the log of a session", () => {
  test("begins with the session's start, also when its first events were lost", async () => {
    const store = fillable();
    const log = new SessionLog("a", store, { fresh: true, start: START });
    store.full = true;
    await expect(log.append("session-end", { calls: 0 })).rejects.toMatchObject({ code: "unavailable" });
    store.full = false;
    await log.append("session-end", { calls: 0 });
    expect((await store.read()).map(({ seq, type }) => `${seq} ${type}`)).toEqual(["1 session-start", "2 session-end"]);
  });

  test("has no gap and no disorder when its store takes events now at once, now later, now not at all", async () => {
    const store = memoryStore();
    const ways: readonly ((events: readonly Event[]) => Promise<void> | void)[] = [
      (events) => store.append(events),
      async (events) => store.append(events),
      (events) => setTimeout(2).then(() => store.append(events)),
      () => Promise.reject(new PegboardError("unavailable", "The disk is full")),
      () => {
        throw new PegboardError("unavailable", "It throws on the spot");
      },
    ];
    let turn = 0;
    const sink = { ...store, append: (events: readonly Event[]) => ways[turn++ % ways.length]!(events) };
    const log = new SessionLog("a", sink, { fresh: true, start: START });
    const kept: number[] = [];
    const add = (calls: number) =>
      log.append("session-end", { calls }).then(
        () => kept.push(calls),
        () => {},
      );
    const adding: Promise<unknown>[] = [];
    for (let calls = 0; calls < 60; calls++) {
      adding.push(add(calls));
      if (calls % 3 === 0) await Promise.all(adding);
    }
    await Promise.all(adding);
    const [first, ...others] = await store.read();
    expect(first?.type).toBe("session-start");
    expect(others.map(({ data }) => (data as { calls: number }).calls)).toEqual(kept);
    expect([first, ...others].map((event) => event?.seq)).toEqual(
      Array.from({ length: kept.length + 1 }, (_, at) => at + 1),
    );
    expect(kept.length).toBeGreaterThan(20);
    expect(kept.length).toBeLessThan(60);
  });

  test("keeps its order when it goes on with a session whose last number is not known yet", async () => {
    const store = memoryStore();
    const slow = { ...store, read: (query?: EventQuery) => setTimeout(5).then(() => store.read(query)) };
    const log = new SessionLog("a", slow, { fresh: false, start: START });
    const first = log.append("session-end", { calls: 1 });
    await setTimeout(1);
    const second = log.append("session-end", { calls: 2 });
    await first;
    await Promise.all([second, log.append("session-end", { calls: 3 })]);
    const [, ...others] = await store.read();
    expect(others.map(({ data }) => data)).toEqual([{ calls: 1 }, { calls: 2 }, { calls: 3 }]);
  });

  test("holds what is appended at once as soon as append returns, in a store that keeps it at once", async () => {
    const store = memoryStore();
    const log = new SessionLog("a", store, { fresh: true, start: START });
    await log.append("session-end", { calls: 0 });
    void log.append("session-end", { calls: 1 });
    void log.append("session-end", { calls: 2 });
    expect((await store.read()).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
  });

  test("keeps a tool from running whose call is not on record, though its intent could be", async () => {
    const store = fillable();
    let ran = 0;
    const runtime = createRuntime({
      store,
      approve: "all",
      tools: [
        defineTool({
          name: "effect",
          description: "Has an effect",
          input: { type: "object" },
          execute: () => String(++ran),
        }),
      ],
      hooks: [{ beforeCall: () => setTimeout(5).then(() => void (store.full = false)) }],
    });
    const session = runtime.open();
    store.full = true;
    // The space returns between the call's start and its intent.
    const result = await session.call("effect");
    expect(result.error?.code).toBe("unavailable");
    expect(ran).toBe(0);
    expect((await session.call("effect")).ok).toBe(true);
    await runtime.close();
  });
});
