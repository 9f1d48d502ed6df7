import { defineTool, memoryStore, type Store } from "pegboard";
import { describe, expect, test } from "vitest";
import { cutLog, cuts } from "./cut-log.ts";
import { call, type Cast, ofType, stage } from "./stage.ts";

const CAST: Cast = {
  lead: { says: [call("outer"), "Started.", "Done.", "Done."] },
  clerk: { says: [call("delegate", { agent: "scribe", prompt: "Write", mode: "wait" }), "Worked."] },
  scribe: { tools: [], says: ["Written."] },
};

function open(store: Store, process: string, mode: string) {
  const outer = defineTool({
    name: "outer",
    description: "Gives work away itself",
    input: { type: "object" },
    execute: (_, context) => context.call("delegate", { agent: "clerk", prompt: "Work", mode }),
  });
  const survives = { store, process: { identity: process, isAlive: (other: string) => other === process } };
  return stage(CAST, { tools: [outer], ...survives }, { id: "s", approve: "all" });
}

async function record(mode: string) {
  const first = open(memoryStore(), "first", mode);
  expect(await first.session.run("lead", "Go").result).toMatchObject({ status: "completed" });
  const whole = await first.log();
  await first.runtime.close();
  return whole;
}

describe.each(["wait", "background"])("work that a tool of somebody else's gave away (%s)", (mode) => {
  test("is over when the run is that went on after a crash, and so is all that was begun", async () => {
    const whole = await record(mode);
    for (const kept of cuts(whole)) {
      const at = `cut after ${kept}: ${whole[kept - 1]!.type}`;
      const { session, runtime, log } = open(await cutLog(whole, kept), "second", mode);
      expect(await (await session.resume()).result, at).toMatchObject({ status: "completed" });
      const events = await log();
      expect(ofType(events, "task-end"), at).toHaveLength(ofType(events, "task-start").length);
      expect(ofType(events, "run-end"), at).toHaveLength(ofType(events, "run-start").length);
      expect(await runtime.store.unfinished(), at).toEqual([]);
      await runtime.close();
    }
  });

  test("is over when the run is cancelled that nobody has any more", async () => {
    const whole = await record(mode);
    for (const kept of cuts(whole)) {
      const at = `cut after ${kept}: ${whole[kept - 1]!.type}`;
      const { runtime, log } = open(await cutLog(whole, kept), "second", mode);
      expect(await runtime.sessions.cancel("s", "me"), at).toEqual({ asked: 0, ended: 1 });
      const events = await log();
      expect(ofType(events, "task-end"), at).toHaveLength(ofType(events, "task-start").length);
      expect(ofType(events, "run-end"), at).toHaveLength(ofType(events, "run-start").length);
      expect(await runtime.store.unfinished(), at).toEqual([]);
      await runtime.close();
    }
  });
});
