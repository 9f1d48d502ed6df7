import { memoryStore, type Store } from "pegboard";
import { expect, test } from "vitest";
import { cutLog, cuts } from "./cut-log.ts";
import { call, type Cast, holding, ofType, stage } from "./stage.ts";

const give = (prompt: string) => ({ tool: "delegate", input: { agent: "clerk", prompt } });
const LATE = expect.stringContaining("came after its last turn");

const CAST: Cast = {
  lead: { maxTurns: 2, says: [{ calls: [give("1"), give("2")] }, "Answered.", "Never."] },
  clerk: { says: [call("look"), "Done."] },
};

function open(store: Store, process: string) {
  const look = { ...holding("look").tool, execute: () => new Promise<string>((done) => setTimeout(done, 5, "seen")) };
  const survives = { store, process: { identity: process, isAlive: (other: string) => other === process } };
  return stage(CAST, { tools: [look], ...survives }, { id: "s", approve: "all" });
}

test("a run that has answered and has no turns left ends with its answer when results come, and says that they were late", async () => {
  const first = open(memoryStore(), "first");
  const result = await first.session.run("lead", "Go").result;
  expect(result).toMatchObject({ status: "completed", text: "Answered.", turns: 2, warnings: [LATE] });
  expect((await first.session.tasks()).map(({ state }) => state)).toEqual(["completed", "completed"]);
  const whole = await first.log();
  await first.runtime.close();
  expect(ofType(whole, "transcript-change").filter(({ data }) => data.task)).toHaveLength(2);
  for (const kept of cuts(whole)) {
    const at = `cut after ${kept}: ${whole[kept - 1]!.type}`;
    const { session, runtime, log } = open(await cutLog(whole, kept), "second");
    const again = await (await session.resume()).result;
    expect(again, at).toMatchObject({ status: "completed", text: "Answered.", turns: 2, warnings: [LATE] });
    expect(
      ofType(await log(), "transcript-change").filter(({ data }) => data.task),
      at,
    ).toHaveLength(2);
    expect(
      (await session.tasks()).map(({ state }) => state),
      at,
    ).toEqual(["completed", "completed"]);
    await runtime.close();
  }
});

test("a run that went on working after its answer and has no turns left ends without one", async () => {
  const scene = stage({
    lead: { maxTurns: 3, says: [{ calls: [give("1")] }, "Answered.", call("vfs_list"), "Never."] },
    clerk: { says: ["Done."] },
  });
  const result = await scene.session.run("lead", "Go").result;
  expect(result).toMatchObject({ status: "failed", error: { code: "budget_limit" } });
});
