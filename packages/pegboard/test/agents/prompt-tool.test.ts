import type { Agent, PromptTool } from "@pegboard/contract";
import { createRuntime, type Event, type RuntimeOptions, scriptedModel } from "pegboard";
import { expect, test } from "vitest";

const SUMMARIZE: PromptTool = {
  name: "summarize",
  description: "Summarise a text",
  prompt: "Summarise: {{text}} ({{unknown}})",
  input: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
};
const BULLETS = {
  type: "object",
  properties: { bullets: { type: "array", items: { type: "string" } } },
  required: ["bullets"],
};

function agentWith(...promptTools: PromptTool[]): Agent {
  return { name: "researcher", description: "Researches", instructions: "You research.", tools: [], promptTools };
}

/** A model whose agent calls the prompt tool with these inputs and whose prompt answers with the given turns. */
function script(inputs: readonly Record<string, string>[], answers: readonly object[]) {
  return scriptedModel({
    scripts: [
      { when: { system: 'the tool "summarize"' }, turns: answers },
      { turns: [{ calls: inputs.map((input) => ({ tool: "summarize", input })) }, { text: "Done." }] },
    ],
  });
}

async function run(agent: Agent, model: ReturnType<typeof scriptedModel>, options: RuntimeOptions = {}) {
  const runtime = createRuntime({ model, agents: [agent], ...options });
  const session = runtime.open();
  const result = await session.run(agent.name, "Go").result;
  const outcomes = model.requests.at(-1)!.messages.flatMap((one) => (one.role === "tool" ? one.results : []));
  return { runtime, session, result, outcomes };
}

test("A0-31: a prompt tool shows with its parameters, is filled in once, and leaves what it does not know", async () => {
  const model = script([{ text: "a {{text}} b" }], [{ text: "short" }]);
  const { outcomes } = await run(agentWith(SUMMARIZE), model);
  expect(model.requests[0]!.tools).toEqual([
    { name: "summarize", description: "Summarise a text", input: SUMMARIZE.input },
  ]);
  expect(model.requests[1]!.messages).toEqual([
    { role: "user", content: [{ type: "text", text: "Summarise: a {{text}} b ({{unknown}})" }] },
  ]);
  expect(outcomes).toMatchObject([{ ok: true, content: [{ type: "text", text: "short" }] }]);
});

test("A0-32: a prompt tool runs on its own model, else on the agent's", async () => {
  const small = scriptedModel([{ text: "small" }]);
  const large = script([{ text: "t" }], [{ text: "large" }]);
  const models = {
    resolve: async (name: string) =>
      name === "x:small" ? small : name === "x:large" ? large : Promise.reject(new Error(name)),
    cost: () => 0,
  };
  const model = script([{ text: "t" }], [{ text: "big" }]);
  const other = await run(agentWith({ ...SUMMARIZE, model: "x:small" }), model, { models });
  expect(other.outcomes).toMatchObject([{ content: [{ text: "small" }] }]);
  expect(small.requests).toHaveLength(1);
  const own = await run(agentWith(SUMMARIZE), script([{ text: "t" }], [{ text: "big" }]), { models });
  expect(own.outcomes).toMatchObject([{ content: [{ text: "big" }] }]);
  const unused = scriptedModel([]);
  await run({ ...agentWith(SUMMARIZE), model: "x:large" }, unused, { models }).catch(() => {});
  expect(large.requests.map(({ system }) => system.includes('the tool "summarize"'))).toEqual([false, true, false]);
  expect(unused.requests).toEqual([]);
});

test("A0-33: a result schema gives a structured result, after one repair, or an error that lists what is wrong", async () => {
  const tool = { ...SUMMARIZE, output: BULLETS };
  const events = async (answers: readonly object[]) => {
    const model = script([{ text: "t" }], answers);
    const { session, outcomes } = await run(agentWith(tool), model);
    const asked = model.requests.filter(({ system }) => system.includes('the tool "summarize"')).length;
    const ends: Event[] = [];
    await session.close();
    for await (const event of session.events()) if (event.type === "call-end") ends.push(event);
    return { end: ends[0]!.data, outcome: outcomes[0]!, asked };
  };
  expect((await events([{ text: '{"bullets":["a"]}' }])).end).toMatchObject({
    ok: true,
    result: { structured: { bullets: ["a"] } },
  });
  expect((await events([{ text: "a" }, { text: '{"bullets":["b"]}' }])).end).toMatchObject({
    ok: true,
    result: { structured: { bullets: ["b"] } },
  });
  const failed = await events([{ text: "a" }, { text: '{"bullets":[1]}' }, { text: '{"bullets":["late"]}' }]);
  expect(failed.asked).toBe(2);
  expect(failed.end).toMatchObject({ ok: false, error: { code: "invalid_output" } });
  expect(JSON.stringify(failed.outcome)).toContain("/bullets/0");
});

test("A0-35: nothing remains of a prompt tool's run, also when it failed", async () => {
  const { runtime, session } = await run(
    agentWith(SUMMARIZE),
    script([{ text: "t" }], [{ error: { code: "internal", message: "no" } }]),
  );
  expect((await runtime.agents.list()).map(({ name }) => name).sort()).toEqual(["assistant", "researcher"]);
  expect(session.list().map(({ name }) => name)).not.toContain("summarize");
  expect(await runtime.store.files.list()).toEqual([]);
});

test("A0-36: fifty calls at once give fifty results; the same input twice is no loop, and the limits hold", async () => {
  const inputs = Array.from({ length: 50 }, (_, n) => ({ text: `t${n % 25}` }));
  const answer = (request: { messages: readonly unknown[] }) => ({
    text: /t\d+/.exec(JSON.stringify(request.messages))![0],
  });
  const limits = { fanout: 50, budgetSpawns: 50, concurrency: 50 };
  const all = await run(agentWith(SUMMARIZE), script(inputs, [answer as object]), { limits });
  expect(all.outcomes.map(({ content }) => content[0])).toEqual(inputs.map(({ text }) => ({ type: "text", text })));
  const few = await run(agentWith(SUMMARIZE), script(inputs, [answer as object]), { limits: { ...limits, fanout: 8 } });
  expect(few.outcomes.filter(({ ok }) => ok)).toHaveLength(8);
  expect(JSON.stringify(few.outcomes[8])).toContain("8 runs");
  const spent = await run(agentWith(SUMMARIZE), script(inputs, [answer as object]), {
    limits: { ...limits, budgetSpawns: 3 },
  });
  expect(spent.outcomes.filter(({ ok }) => ok)).toHaveLength(3);
  const asking = { tool: "agent", input: { agent: "researcher", prompt: "Go" } };
  const scripts = [
    { when: { system: "You lead." }, turns: [{ calls: [asking] }, { text: "Done." }] },
    { turns: [{ calls: [{ tool: "summarize", input: { text: "t1" } }] }, { text: "Done." }] },
  ];
  const deep = createRuntime({
    model: scriptedModel({ scripts }),
    agents: [agentWith(SUMMARIZE), { name: "lead", description: "Leads", instructions: "You lead." }],
    limits: { ...limits, depth: 1 },
  }).open({ approve: "all" });
  expect(await deep.run("lead", "Go").result).toMatchObject({ status: "completed" });
  await deep.close();
  const ends = (await Array.fromAsync(deep.events())).filter(({ type }) => type === "call-end");
  expect(ends.map(({ data }) => (data as { error?: { code: string } }).error?.code)).toEqual([
    "depth_limit",
    undefined,
  ]);
});

test("A0-40: the same agent with the same input twice in one run is refused as a loop", async () => {
  const asking = { tool: "agent", input: { agent: "expert", prompt: "Why?" } };
  const model = scriptedModel({
    scripts: [
      { when: { system: "expert" }, turns: [{ text: "Because." }] },
      { turns: [{ calls: [asking] }, { calls: [asking] }, { text: "Done." }] },
    ],
  });
  const agents: Agent[] = [
    { name: "lead", description: "Leads", instructions: "You lead." },
    { name: "expert", description: "Knows", instructions: "You are the expert." },
  ];
  const runtime = createRuntime({ model, agents, policy: { rules: [{ tool: "agent", approval: "preApproved" }] } });
  expect(await runtime.open().run("lead", "Go").result).toMatchObject({ status: "completed" });
  const outcomes = model.requests.at(-1)!.messages.flatMap((one) => (one.role === "tool" ? one.results : []));
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, false]);
  expect(JSON.stringify(outcomes[1])).toContain("asked this very thing before");
});

test("the tokens of a prompt tool count for the run that called it", async () => {
  const { result } = await run(
    agentWith(SUMMARIZE),
    script([{ text: "t" }], [{ text: "s", usage: { input: 70, output: 7 } }]),
  );
  expect(result.usage.input).toBeGreaterThanOrEqual(70);
});
