import { defineTool, type Turn } from "pegboard";
import { describe, expect, test } from "vitest";
import { Lanes } from "../../src/agents/lanes.ts";
import { Place } from "../../src/agents/place.ts";
import { Control } from "../../src/core/control.ts";
import { call, holding, ofType, stage, textOf } from "./stage.ts";

const beat = () => new Promise((resolve) => setTimeout(resolve, 20));
const ask = (agent: string, prompt = "Help"): Turn => call("agent", { agent, prompt });

/** A scene in which "clerk" is held up, with room for so many runs at once. */
function office(runs: number, more: { readonly waiting?: number } = {}) {
  const hold = holding();
  const scene = stage({ clerk: { says: [call("hold"), "Done."] } }, { tools: [hold.tool], limits: { runs, ...more } });
  return { ...scene, hold };
}

describe("runs at work in one runtime", () => {
  test("A0-42: are no more than so many, whatever their sessions; the others wait in order, and the log says so", async () => {
    const { runtime, hold, session, requestsOf } = office(2);
    const other = runtime.open({ approve: "all" });
    const runs = [session, other, session, other, session].map((one, n) => one.run("clerk", `${n}`));
    await hold.entered;
    await beat();
    expect(hold.inside.size).toBe(2);
    const waits = ofType(await runtime.store.read(), "run-change").toSorted((a, b) => a.data.before - b.data.before);
    expect(waits.map(({ data }) => data.before)).toEqual([0, 1, 2]);
    const waiting = (await runtime.sessions.runs()).flatMap(({ run, status }) => (status === "waiting" ? [run] : []));
    expect(new Set(waiting)).toEqual(new Set(waits.map(({ run }) => run)));
    hold.letGo();
    for (const { status } of await Promise.all(runs.map(({ result }) => result))) expect(status).toBe("completed");
    expect(hold.most()).toBe(2);
    const begun = requestsOf("clerk").flatMap(({ messages }) => (messages.length === 1 ? textOf(messages[0]!) : []));
    expect(begun.slice(2).map((n) => runs[Number(n)]!.id)).toEqual(waits.map(({ run }) => run));
  });

  test("A0-42: one that is cancelled leaves the queue, and the next gets its place", async () => {
    const { session, hold, requestsOf } = office(1);
    const runs = ["1", "2", "3"].map((prompt) => session.run("clerk", prompt));
    await hold.entered;
    await beat();
    runs[1]!.cancel();
    expect(await runs[1]!.result).toMatchObject({ status: "cancelled", turns: 0 });
    runs[0]!.cancel();
    hold.letGo();
    expect(await runs[2]!.result).toMatchObject({ status: "completed" });
    expect(requestsOf("clerk").map(({ messages }) => messages[0])).not.toContainEqual(
      expect.objectContaining({ content: [{ type: "text", text: "2" }] }),
    );
  });

  test("A0-42: cancelling all empties the queue", async () => {
    const { session, hold, requestsOf } = office(1);
    const runs = ["1", "2", "3"].map((prompt) => session.run("clerk", prompt));
    await hold.entered;
    await beat();
    expect(session.cancel()).toBeGreaterThanOrEqual(3);
    for (const { result } of runs) expect(await result).toMatchObject({ status: "cancelled" });
    expect(requestsOf("clerk")).toHaveLength(1);
  });

  test("A3-37: more than may wait are refused, and those that they refuse are over", async () => {
    const { session, hold } = office(1, { waiting: 1 });
    const runs = ["1", "2", "3"].map((prompt) => session.run("clerk", prompt));
    expect(await runs[2]!.result).toMatchObject({ status: "failed", error: { code: "busy" } });
    hold.letGo();
    expect(await runs[1]!.result).toMatchObject({ status: "completed" });
  });

  test("A0-42: a run that waits for those it started gives its place back, however they hang together", async () => {
    let working = 0;
    let most = 0;
    const work = defineTool({
      name: "work",
      description: "Works",
      input: { type: "object" },
      capabilities: ["read"],
      async execute() {
        most = Math.max(most, ++working);
        await beat();
        working--;
        return "worked";
      },
    });
    const promptTools = [{ name: "short", description: "Shortens", prompt: "Shorten", input: { type: "object" } }];
    const give = (agent: string, mode: string, prompt: string) => ({
      tool: "delegate",
      input: { agent, mode, prompt },
    });
    const scene = stage(
      {
        lead: {
          says: [
            {
              calls: [
                give("clerk", "background", "1"),
                give("clerk", "background", "2"),
                { tool: "agent", input: { agent: "middle", prompt: "3" } },
                { tool: "agent", input: { agent: "middle", prompt: "4" } },
                give("middle", "wait", "5"),
              ],
            },
            call("work"),
            "Started.",
            "Done.",
            "Done.",
          ],
        },
        middle: { promptTools, says: [ask("clerk"), call("short"), call("work"), "Done."] },
        clerk: { says: [call("work"), "Done."] },
        short: { says: [call("work"), "Short."] },
      },
      { tools: [work], limits: { runs: 1, concurrency: 2 } },
    );
    const results = await Promise.all(["a", "b"].map((prompt) => scene.session.run("lead", prompt).result));
    for (const result of results) expect(result).toMatchObject({ status: "completed" });
    expect(ofType(await scene.log(), "run-end").map(({ data }) => data.status)).not.toContain("failed");
    expect(most).toBe(1);
  });
});

describe("the place of a run", () => {
  const make = (lanes: Lanes) => new Place(lanes, { control: new Control(), queued() {} });

  test("is not taken again by a run that is over, whatever it had waited for", async () => {
    const lanes = new Lanes(1);
    const place = make(lanes);
    await place.enter();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiting = place.lend(() => promise);
    place.end();
    resolve();
    await waiting;
    expect(lanes.queue).toBeUndefined();
  });

  test("is left again when something else of the run has begun to wait before its turn came", async () => {
    const lanes = new Lanes(1);
    const place = make(lanes);
    await place.enter();
    const other = make(lanes);
    const first = Promise.withResolvers<void>();
    const second = Promise.withResolvers<void>();
    const one = place.lend(() => first.promise);
    await other.enter();
    first.resolve();
    await beat();
    expect(lanes.queue).toBe(1);
    const two = place.lend(() => second.promise);
    other.end();
    await one;
    expect(lanes.queue).toBeUndefined();
    second.resolve();
    await two;
    expect(lanes.queue).toBe(0);
    place.end();
    expect(lanes.queue).toBeUndefined();
  });
});
