import { describe, expect, test, vi } from "vitest";
import { createRuntime, defineTool, type Event, memoryStore, type Store } from "../../src/index.ts";

/** A store that knows how many events it gave to readers. */
function countingStore(): Store & { readonly given: number; readonly reads: number } {
  const store = memoryStore();
  let [given, reads] = [0, 0];
  return {
    ...store,
    get given() {
      return given;
    },
    get reads() {
      return reads;
    },
    async read(query) {
      const events = await store.read(query);
      given += events.length;
      reads++;
      return events;
    },
  };
}

const look = defineTool({
  name: "look",
  description: "Looks",
  input: { type: "object" },
  capabilities: ["read"],
  execute: () => "seen",
});
const PAGE = 256;

describe("a follower of a session", () => {
  test("that stops reading holds one page at most, however much is written, and then gets all of it in order", async () => {
    const store = countingStore();
    const session = createRuntime({ store, tools: [look] }).open();
    const following = session.events();
    await session.call("look");
    const seen: Event[] = [(await following.next()).value as Event];
    const before = { given: store.given, reads: store.reads };
    for (let call = 0; call < 3_000; call++) await session.call("look");
    expect({ given: store.given, reads: store.reads }).toEqual(before);
    expect(store.given).toBeLessThanOrEqual(PAGE);
    await session.close();
    const pages: number[] = [];
    for await (const event of following) {
      pages.push(store.given - seen.length);
      seen.push(event);
    }
    expect(seen.map(({ seq }) => seq)).toEqual(Array.from({ length: 3 * 3_001 + 2 }, (_, index) => index + 1));
    expect(Math.max(...pages)).toBeLessThanOrEqual(PAGE);
  });

  test("that begins late or in the middle gets the history from there on, and then what comes", async () => {
    const session = createRuntime({ tools: [look] }).open();
    await session.call("look");
    const seen: number[] = [];
    const reading = (async () => {
      for await (const { seq } of session.events({ from: 3 })) seen.push(seq);
    })();
    await vi.waitFor(() => expect(seen).toEqual([3, 4]));
    await session.call("look");
    await vi.waitFor(() => expect(seen).toEqual([3, 4, 5, 6, 7]));
    await session.close();
    await reading;
    expect(seen).toEqual([3, 4, 5, 6, 7, 8]);
  });

  test("of many that each read at their own pace holds up neither the writer nor the others", async () => {
    const session = createRuntime({ tools: [look] }).open();
    const stalled = session.events();
    await session.call("look");
    await stalled.next();
    const fast: number[] = [];
    const reading = (async () => {
      for await (const { seq } of session.events()) fast.push(seq);
    })();
    for (let call = 0; call < 500; call++) await session.call("look");
    await session.close();
    await reading;
    expect(fast).toHaveLength(3 * 501 + 2);
    expect((await stalled.next()).value).toMatchObject({ seq: 2 });
  });
});
