// The hooks that plugins of hosts with threads have, each with a check that it does what it says.
import assert from "node:assert/strict";
import type { ThreadHooks } from "pegboard";
import { delegates, hooking, play, stage } from "./stage.ts";

const delegating = { turns: [delegates, "Started.", "Done."] };

{
  const started: string[] = [];
  const hooks: ThreadHooks = {
    onPipelineStart: (threadId, { traceId }) => void started.push(`${threadId} ${traceId}`),
  };

  await play(hooks);
  assert.equal(started.length, 1);
}

{
  const said: string[] = [];
  const hooks: ThreadHooks = { onMessage: (_threadId, role, content) => void said.push(`${role}: ${content}`) };

  await play(hooks);
  assert.deepEqual(said, ["user: Hi"]);
}

{
  const hooks: ThreadHooks = {
    onIntentClassify: (_threadId, content) => ({ handled: content === "ping", response: "pong" }),
  };

  assert.deepEqual([(await play(hooks, {}, "ping")).text, (await play(hooks)).text], ["pong", "Hello."]);
}

{
  const hooks: ThreadHooks = { onBeforeInvoke: (_threadId, prompt) => `${prompt} Answer in rhymes.` };

  assert.ok((await play(hooks)).read.includes("Hi Answer in rhymes."));
}

{
  const answers: string[] = [];
  const hooks: ThreadHooks = {
    onAfterInvoke: (_threadId, { output, exitCode }) => void answers.push(`${exitCode} ${output}`),
  };

  await play(hooks);
  assert.deepEqual(answers, ["0 Hello."]);
}

{
  const over: string[] = [];
  const hooks: ThreadHooks = {
    onPipelineComplete: (_threadId, { invokeResult }) => void over.push(invokeResult.output),
  };

  await play(hooks);
  assert.deepEqual(over, ["Hello."]);
}

{
  const created: string[] = [];
  const hooks: ThreadHooks = { onTaskCreate: (_threadId, taskId) => void created.push(taskId) };

  const { tasks } = await play(hooks, delegating);
  assert.deepEqual(created, [tasks[0]!.id]);
}

{
  const hooks: ThreadHooks = {
    onTaskComplete(_threadId, _taskId, result) {
      if (!result.includes(" ")) throw new Error("One word is no poem");
    },
  };

  const { tasks } = await play(hooks, { ...delegating, poet: ["Roses.", "Roses are red."] });
  assert.equal(tasks[0]!.text, "Roses are red.");
}

{
  const failed: string[] = [];
  const hooks: ThreadHooks = {
    onTaskComplete: () => ({ accepted: false, feedback: "Still no poem" }),
    onTaskFailed: (_threadId, _taskId, error) => void failed.push(error.message),
  };

  await play(hooks, { ...delegating, poet: ["Roses.", "Violets."] });
  assert.match(failed.join(), /Still no poem/);
}

{
  const heard: string[] = [];
  const hooks: ThreadHooks = { onBroadcast: (event, data) => void heard.push(`${event} ${JSON.stringify(data)}`) };

  const { runtime } = await stage([
    hooking(hooks),
    { name: "teller", version: "1.0.0", register() {}, start: (host) => host.broadcast("weather", { rain: true }) },
  ]);
  await runtime.close();
  assert.deepEqual(heard, ['weather {"rain":true}']);
}

{
  const changed: string[] = [];
  const hooks: ThreadHooks = { onSettingsChange: (pluginName) => void changed.push(pluginName) };

  const { runtime } = await stage([hooking(hooks)]);
  await runtime.plugins.configure("tried", { colour: "red" });
  await runtime.close();
  assert.deepEqual(changed, ["tried"]);
}
