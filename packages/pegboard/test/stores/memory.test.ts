import { describe, expect, test } from "vitest";
import { memoryStore } from "../../src/stores/memory.ts";
import type { Event } from "../../src/core/event.ts";
import { describeStore } from "../../src/testing/describe-store.ts";

describeStore("the memory store", async () => ({ store: memoryStore() }), { describe, test });

test("the memory store keeps the very events it is given, without copying them", async () => {
  const store = memoryStore();
  const event: Event = { v: 1, seq: 1, at: 0, type: "session-end", session: "a", data: { calls: 0 } };
  await store.append([event]);
  expect((await store.read())[0]).toBe(event);
});

test("a refused append names the session, the number it carries and the number that is next", async () => {
  const store = memoryStore();
  const event: Event = { v: 1, seq: 7, at: 0, type: "session-end", session: "a", data: { calls: 0 } };
  await expect(store.append([event])).rejects.toThrow(/event 7 of session "a".*event 1 of session "a" is next/);
});
