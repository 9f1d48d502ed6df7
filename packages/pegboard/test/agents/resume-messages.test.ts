import { memoryStore, type Store } from "pegboard";
import { expect, test } from "vitest";
import { cutLog, cuts } from "./cut-log.ts";
import { call, type Cast, holding, ofType, stage } from "./stage.ts";

const CAST: Cast = {
  lead: { says: [call("delegate", { agent: "clerk", prompt: "Work" }), call("look"), ...Array(9).fill("Noted.")] },
  clerk: {
    says: [call("checkin", { message: "Halfway" }), call("signal_parent", { message: "Stuck" }), call("look"), "Done."],
  },
};

function open(store: Store, process: string) {
  const look = { ...holding("look").tool, execute: () => new Promise<string>((done) => setTimeout(done, 5, "seen")) };
  return stage(
    CAST,
    { store, tools: [look], process: { identity: process, isAlive: (other) => other === process } },
    { id: "s", approve: "all" },
  );
}

test("A3-36: a message to the agent above is on record when it is sent, and read exactly once whenever the process ends", async () => {
  const first = open(memoryStore(), "first");
  expect(await first.session.run("lead", "Go").result).toMatchObject({ status: "completed" });
  const whole = await first.log();
  await first.runtime.close();
  const sent = ofType(whole, "mailbox-change").map(({ data }) => [/(Halfway|Stuck)$/.exec(data.text)?.[0], data.wakes]);
  expect(sent).toEqual([
    ["Halfway", false],
    ["Stuck", true],
  ]);
  for (const kept of cuts(whole)) {
    const at = `cut after ${kept}: ${whole[kept - 1]!.type}`;
    const { session, runtime, log, heardBy } = open(await cutLog(whole, kept), "second");
    expect(await (await session.resume()).result, at).toMatchObject({ status: "completed", text: "Noted." });
    const events = await log();
    const letters = ofType(events, "mailbox-change").map(({ data }) => data.letter);
    const read = ofType(events, "transcript-change").flatMap(({ data }) => data.letter ?? []);
    expect(read, at).toEqual(letters);
    const stuck = ofType(events, "mailbox-change").filter(({ data }) => data.wakes);
    // What was read before the crash is heard of by whoever reads the conversation.
    const heard = (await runtime.sessions.show("s")).messages.map((message) => JSON.stringify(message));
    expect(
      heard.filter((text) => text.includes("Stuck") && text.includes("Message from")),
      at,
    ).toHaveLength(stuck.length);
    if (heardBy("lead").length > 0)
      expect(
        heardBy("lead").filter((text) => text.endsWith("Stuck")),
        at,
      ).toHaveLength(stuck.length);
    await runtime.close();
  }
});
