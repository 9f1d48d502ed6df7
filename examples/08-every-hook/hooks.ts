// Every hook, each with a check that it does what it says.
import assert from "node:assert/strict";
import type { Hooks } from "pegboard";
import { adds, callAdd, delegates, hooking, play, stage } from "./stage.ts";

{
  const later: Hooks = { priority: 10, changePrompt: (_run, prompt) => `${prompt} Be brief.` };
  const sooner: Hooks = { priority: -10, changePrompt: (_run, prompt) => `${prompt} Be kind.` };

  const { runtime, model, session } = await stage([
    hooking(later),
    { name: "other", version: "1.0.0", register: () => sooner },
  ]);
  await session.run("assistant", "Greet me.").result;
  assert.ok(JSON.stringify(model.requests[0]!.messages).includes("Greet me. Be kind. Be brief."));
  await runtime.close();
}

{
  const positive: Hooks = {
    beforeCall({ tool, input }) {
      const { a } = input as { a: number };
      if (tool === "add" && a < 0) return { action: "deny", reason: "Only positive numbers" };
      if (a > 1_000) return { action: "ask", reason: "That is a big number" };
      if (a === 0) return { action: "inject", text: "Adding zero changes nothing." };
      return { action: "modify", input: { ...(input as object), a: Math.round(a) } };
    },
  };

  assert.match((await callAdd(positive, { a: -1, b: 1 })).error!.message, /Only positive numbers/);
  assert.deepEqual((await callAdd(positive, { a: 1.9, b: 1 })).structured, { sum: 3 });
  assert.ok(JSON.stringify(await callAdd(positive, { a: 0, b: 1 })).includes("Adding zero"));
}

{
  const doubling: Hooks = {
    afterCall(_call, result) {
      const { sum } = result.structured as { sum: number };
      return { ...result, structured: { sum, doubled: sum * 2 } };
    },
  };

  assert.deepEqual((await callAdd(doubling, { a: 1, b: 2 })).structured, { sum: 3, doubled: 6 });
}

{
  const started: string[] = [];
  const starts: Hooks = {
    runStarted: ({ agent, parent }) => void started.push(parent === undefined ? agent : `${agent}, asked by an agent`),
  };

  await play(starts, { turns: [{ calls: [{ tool: "agent", input: { agent: "poet", prompt: "Rhyme" } }] }, "Done."] });
  assert.deepEqual(started, ["assistant", "poet, asked by an agent"]);
}

{
  const said: string[] = [];
  const listening: Hooks = { message: (_run, { role, text }) => void said.push(`${role}: ${text}`) };

  await play(listening, {}, "Is anybody there?");
  assert.deepEqual(said, ["user: Is anybody there?"]);
}

{
  const answering: Hooks = { answerPrompt: (_run, prompt) => (prompt === "ping" ? "pong" : undefined) };

  assert.deepEqual([(await play(answering, {}, "ping")).text, (await play(answering)).text], ["pong", "Hello."]);
}

{
  const dated: Hooks = { changePrompt: (_run, prompt) => `${prompt}\n\nToday is a Sunday.` };

  assert.ok((await play(dated)).read.includes("Today is a Sunday."));
}

{
  const patience: Hooks = {
    beforeTurn({ turn }) {
      if (turn > 2) return { action: "deny", reason: "Two turns are enough" };
      return turn === 2 ? { action: "inject", text: "This is your last turn." } : undefined;
    },
  };

  const { read, error } = await play(patience, { turns: [adds(1, 2), adds(3, 4), "Done."] });
  assert.ok(read.includes("This is your last turn."));
  assert.match(error!.message, /Two turns are enough/);
}

{
  const signed: Hooks = { changeAnswer: (run, { text, turns }) => `${text} (${run.agent}, turn ${turns})` };

  assert.equal((await play(signed)).text, "Hello. (assistant, turn 1)");
}

{
  const ended: string[] = [];
  const ends: Hooks = { runEnded: ({ agent }, { status, turns }) => void ended.push(`${agent} ${status} in ${turns}`) };

  await play(ends, { turns: [adds(1, 2), "Three."] });
  assert.deepEqual(ended, ["assistant completed in 2"]);
}

{
  const given: string[] = [];
  const created: Hooks = { taskCreated: ({ agent, prompt }) => void given.push(`${agent}: ${prompt}`) };

  await play(created, { turns: [delegates, "Started.", "Done."] });
  assert.deepEqual(given, ["poet: Write a poem"]);
}

{
  const long: Hooks = {
    validateTask: (_task, result) =>
      result.includes(" ") ? { accepted: true } : { accepted: false, feedback: "One word is no poem" },
  };

  const { tasks } = await play(long, { turns: [delegates, "Started.", "Done."], poet: ["Roses.", "Roses are red."] });
  assert.deepEqual([tasks[0]!.state, tasks[0]!.text], ["completed", "Roses are red."]);
}

{
  const failed: string[] = [];
  const failing: Hooks = {
    validateTask: () => ({ accepted: false, feedback: "Still no poem" }),
    taskFailed: ({ prompt }, reason) => void failed.push(`${prompt}: ${reason}`),
  };

  await play(failing, { turns: [delegates, "Started.", "Done."], poet: ["Roses.", "Violets."] });
  assert.match(failed.join(), /^Write a poem: .*Still no poem/);
}

{
  const heard: string[] = [];
  const hearing: Hooks = { broadcast: (topic, data) => void heard.push(`${topic} ${JSON.stringify(data)}`) };

  const { runtime } = await stage([
    hooking(hearing),
    { name: "teller", version: "1.0.0", register() {}, start: (host) => host.broadcast("weather", { rain: true }) },
  ]);
  await runtime.close();
  assert.deepEqual(heard, ['weather {"rain":true}']);
}

{
  const now: unknown[] = [];
  const changing: Hooks = { settingsChanged: (settings) => void now.push(settings) };

  const { runtime } = await stage([hooking(changing)]);
  await runtime.plugins.configure("tried", { colour: "red" });
  await runtime.close();
  assert.deepEqual(now, [{ colour: "red" }]);
}
