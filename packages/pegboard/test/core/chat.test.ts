import { createRuntime, PegboardError, scriptedModel } from "pegboard";
import { expect, test } from "vitest";

const HELPER = { name: "helper", description: "Helps", instructions: "You help." };

function open() {
  const model = scriptedModel(["a", "b", "c"]);
  const models = {
    cost: () => 0,
    async resolve(name: string) {
      throw new PegboardError("invalid_config", `There is no ${name}`);
    },
  };
  return {
    model,
    chat: createRuntime({ model, models, agents: [HELPER] })
      .open()
      .chat("helper"),
  };
}

test("a prompt whose run never began leaves the conversation as it was", async () => {
  const { chat, model } = open();
  const wrong = { model: "nobody:nothing" };
  expect(await (await chat.send("lost", wrong)).result).toMatchObject({ error: { code: "invalid_config" } });
  expect(await (await chat.send("one")).result).toMatchObject({ status: "completed", text: "a" });
  await chat.inject("by the way");
  await (
    await chat.send("lost too", wrong)
  ).result;
  expect(await (await chat.send("two")).result).toMatchObject({ status: "completed", text: "b" });
  const said = model.requests[1]!.messages.map(({ role, ...rest }) => [role, JSON.stringify(rest)]);
  expect(said.map(([role]) => role)).toEqual(["user", "assistant", "user", "user"]);
  expect(said.map(([, text]) => text).join()).not.toContain("lost");
});

test("what was added before the first prompt waits for one that begins", async () => {
  const { chat, model } = open();
  await chat.inject("early");
  await (
    await chat.send("lost", { model: "nobody:nothing" })
  ).result;
  await (
    await chat.send("one")
  ).result;
  expect(JSON.stringify(model.requests[0]!.messages)).toContain("early");
});

test("a conversation that was cleared while a prompt failed to begin stays cleared", async () => {
  const { chat, model } = open();
  await (
    await chat.send("one")
  ).result;
  const run = await chat.send("lost", { model: "nobody:nothing" });
  await chat.clear();
  await run.result;
  expect(await (await chat.send("two")).result).toMatchObject({ text: "a" });
  expect(model.requests[1]!.messages).toHaveLength(1);
});

test("a prompt can choose its model, and the next one has the one before again", async () => {
  const { chat, model } = open();
  const other = scriptedModel(["other"]);
  expect(await (await chat.send("one", { model: other })).result).toMatchObject({ text: "other" });
  expect(await (await chat.send("two")).result).toMatchObject({ text: "b" });
  expect([other.requests.length, model.requests.length]).toEqual([1, 1]);
});

test("a chat can go on with a run of before, and no longer once it is cleared", async () => {
  const model = scriptedModel(["a", "b", "c"]);
  const session = createRuntime({ model, agents: [HELPER] }).open();
  const { run } = await session.run("helper", "one").result;
  const chat = session.chat("helper", { continue: run });
  expect(await (await chat.send("two")).result).toMatchObject({ text: "b" });
  await chat.clear();
  expect(await (await chat.send("three")).result).toMatchObject({ text: "a" });
});
