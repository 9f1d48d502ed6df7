import { describe, expect, test } from "vitest";
import type { Event } from "../../src/core/event.ts";
import { recover } from "../../src/core/recover.ts";
import { createRuntime } from "../../src/runtime.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import type { Store } from "../../src/stores/store.ts";

function events(session: string, ...given: readonly object[]): Event[] {
  return given.map((event, index) => ({ v: 1, at: 0, session, seq: index + 1, ...event }) as Event);
}

function sessionStart(process: string) {
  return { type: "session-start", data: { principal: "p", client: "c", cwd: "/", metadata: {}, process } };
}

function intent(call: string, process?: string) {
  return {
    type: "execute-start",
    call,
    data: { tool: "t", decision: "preApproved", by: "test", ...(process && { process }) },
  };
}

async function ends(store: Store): Promise<string[]> {
  const found = await store.read({ type: "call-end" });
  return found.map(({ call, data }) => `${call} ${(data as { error?: { code: string } }).error?.code}`);
}

describe("recovery", () => {
  test("ends each call by the process that runs it, also where several share a session", async () => {
    const store = memoryStore();
    await store.append(
      events(
        "a",
        sessionStart("alive"),
        sessionStart("gone"),
        intent("one", "alive"),
        intent("two", "gone"),
        intent("three", "alive"),
      ),
    );
    expect(await recover(store, (process) => process === "alive")).toBe(1);
    expect(await ends(store)).toEqual(["two interrupted"]);
  });

  test("ends calls of several sessions, and those that name no process", async () => {
    const store = memoryStore();
    await store.append(events("a", intent("one", "gone"), intent("two", "gone")));
    await store.append(events("b", intent("three")));
    expect(await recover(store, () => false)).toBe(3);
    expect(await ends(store)).toEqual(["one interrupted", "two interrupted", "three interrupted"]);
    expect(await recover(store, () => false)).toBe(0);
  });

  test("gives each call one end when several recover at the same time", async () => {
    const store = memoryStore();
    await store.append(events("a", intent("one", "gone"), intent("two", "gone")));
    const counts = await Promise.all([1, 2, 3].map(() => recover(store, () => false)));
    expect(counts.filter((count) => count > 0)).toEqual([2]);
    expect(await ends(store)).toEqual(["one interrupted", "two interrupted"]);
  });

  test("knows the process of a call from its intent", async () => {
    const store = memoryStore();
    const process = { identity: "me", isAlive: () => true };
    const runtime = createRuntime({ store, process, approve: "all" });
    await runtime.open().call("vfs_write", { path: "a", content: "x" });
    expect((await store.read({ type: "execute-start" }))[0]?.data).toMatchObject({ process: "me" });
    await runtime.close();
  });
});
