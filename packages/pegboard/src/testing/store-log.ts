import type { Event } from "../core/event.ts";
import type { EventQuery, Store } from "../stores/store.ts";
import { type Check, callStart, equal, ODD_TEXTS, rejects, start } from "./store-check.ts";

/** The part of the contract that is about `append` and `read`. */
export function checkLog(check: Check): void {
  check("reads events in the order in which they were appended, over all sessions", async ({ store }) => {
    const events = [start("a", 1), start("b", 1), start("a", 2), start("b", 2)];
    for (const event of events) await store.append([event]);
    equal(await store.read(), events);
  });

  check("gives every field of an event back", async ({ store }) => {
    const event: Event = { ...callStart("a", 1, "add"), run: "r", call: "c", parent: "p", chain: ["root", "child"] };
    await store.append([event]);
    equal(await store.read(), [event]);
  });

  check("appends several events at once, and no events at all", async ({ store }) => {
    await store.append([start("a", 1), start("a", 2), start("a", 3)]);
    await store.append([]);
    equal(await seqs(store, { session: "a" }), [1, 2, 3]);
  });

  check("refuses a sequence number that is taken, and writes nothing", async ({ store }) => {
    await store.append([start("a", 1), start("a", 2)]);
    await rejects("duplicate", () => store.append([start("a", 2), start("a", 3)]));
    equal(await seqs(store), [1, 2]);
  });

  check("refuses a gap, at the beginning, after the newest and within", async ({ store }) => {
    await rejects("duplicate", () => store.append([start("a", 2)]));
    await store.append([start("a", 1)]);
    await rejects("duplicate", () => store.append([start("a", 3)]));
    await rejects("duplicate", () => store.append([start("a", 2), start("a", 4)]));
    await rejects("duplicate", () => store.append([start("a", 2), start("a", 2)]));
    equal(await seqs(store), [1]);
    await store.append([start("a", 2)]);
    equal(await seqs(store), [1, 2]);
  });

  check("refuses events of two sessions in one append, and writes nothing", async ({ store }) => {
    await rejects("duplicate", () => store.append([start("a", 1), start("b", 2)]));
    await rejects("duplicate", () => store.append([start("a", 1), start("b", 1)]));
    equal(await store.read(), []);
  });

  check("counts each session by itself, whatever its name", async ({ store }) => {
    const sessions = ["a", "A", "a ", "__proto__", "constructor", "ä'; DROP TABLE events; --", ""];
    for (const session of sessions) await store.append([start(session, 1), start(session, 2)]);
    for (const session of sessions) equal(await seqs(store, { session }), [1, 2]);
    equal(await seqs(store, { session: "unknown" }), []);
  });

  check("filters by session, first sequence number, type and tool", async ({ store }) => {
    const a = [start("a", 1), callStart("a", 2, "add"), callStart("a", 3, "sub"), callStart("a", 4, "add")];
    const b = [callStart("b", 1, "add"), start("b", 2)];
    await store.append(a);
    await store.append(b);
    equal(await store.read({ session: "a", from: 3 }), a.slice(2));
    equal(await store.read({ session: "a", from: 5 }), []);
    equal(await store.read({ from: 2 }), [...a.slice(1), b[1]]);
    equal(await store.read({ type: "session-start" }), [a[0], b[1]]);
    equal(await store.read({ tool: "add" }), [a[1], a[3], b[0]]);
    equal(await store.read({ session: "a", from: 3, type: "call-start", tool: "add" }), [a[3]]);
    equal(await store.read({ tool: "ad" }), []);
  });

  check("counts `limit` from the oldest match and `last` from the newest", async ({ store }) => {
    await store.append([start("a", 1), callStart("a", 2, "x"), callStart("a", 3, "x"), callStart("a", 4, "x")]);
    equal(await seqs(store, { limit: 2 }), [1, 2]);
    equal(await seqs(store, { last: 2 }), [3, 4]);
    equal(await seqs(store, { session: "a", tool: "x", limit: 2 }), [2, 3]);
    equal(await seqs(store, { session: "a", tool: "x", last: 2 }), [3, 4]);
    equal(await seqs(store, { session: "a", from: 4, last: 2 }), [4]);
    equal(await seqs(store, { last: 3, limit: 1 }), [2]);
    equal(await seqs(store, { limit: 0 }), []);
    equal(await seqs(store, { last: 0 }), []);
    equal(await seqs(store, { session: "a", last: 9, limit: 9 }), [1, 2, 3, 4]);
  });

  check("keeps any text in an event: NUL, lone surrogates, a megabyte", async ({ store }) => {
    const events = ODD_TEXTS.map((text, index) => callStart("a", index + 1, "odd", text));
    await store.append(events);
    equal(await store.read(), events);
  });

  check("keeps what is read apart from what is appended later", async ({ store }) => {
    await store.append([start("a", 1)]);
    const before = await store.read({ session: "a" });
    await store.append([start("a", 2)]);
    equal(before, [start("a", 1)]);
  });

  check("takes a hundred concurrent appends to different sessions", async ({ store }) => {
    const sessions = Array.from({ length: 100 }, (_, index) => `s${index}`);
    await Promise.all(sessions.map(async (session) => store.append([start(session, 1), start(session, 2)])));
    equal((await store.read()).length, 200);
    for (const session of sessions) equal(await seqs(store, { session }), [1, 2]);
  });

  check("forgets old sessions as a whole, but those to keep, and only those that are named", async ({ store }) => {
    for (const session of ["a", "b", "c", "d"]) await store.append([start(session, 1), start(session, 2)]);
    const left = async () =>
      [...new Set((await store.read()).map(({ session }) => session))].filter((one) => one !== "log");
    equal(await store.prune({ before: 8.64e15, only: ["a", "b", "nosuch"], keep: ["b"] }), { sessions: 1, events: 2 });
    equal(await left(), ["b", "c", "d"]);
    equal(await store.prune({ before: 0 }), { sessions: 0, events: 0 });
    equal(await store.prune({ before: 8.64e15, keep: ["d"] }), { sessions: 2, events: 4 });
    equal(await left(), ["d"]);
  });

  check("lets exactly one of several concurrent appends of one sequence number win", async ({ store }) => {
    const tools = ["t1", "t2", "t3", "t4", "t5"];
    const outcomes = await Promise.allSettled(tools.map(async (tool) => store.append([callStart("a", 1, tool)])));
    const won = tools.filter((_, index) => outcomes[index]?.status === "fulfilled");
    equal(won.length, 1);
    equal(await store.read(), [callStart("a", 1, won[0]!)]);
  });
}

async function seqs(store: Store, query?: EventQuery): Promise<readonly number[]> {
  return (await store.read(query)).map(({ seq }) => seq);
}
