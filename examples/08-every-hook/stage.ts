// Where the hooks are tried: a runtime with one plugin, one tool, and an agent that says what its script says.
import {
  createRuntime,
  definePlugin,
  defineTool,
  type Hooks,
  type Json,
  type Plugin,
  scriptedModel,
  type ThreadHooks,
  type Turn,
} from "pegboard";

/** Adds numbers; the only tool of the stage. */
const add = defineTool({
  name: "add",
  description: "Adds two numbers",
  input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
  capabilities: ["read"],
  execute: ({ a, b }) => ({ sum: a + b }),
});

/** A plugin that has these hooks and nothing else. */
export const hooking = (hooks: Hooks | ThreadHooks): Plugin =>
  definePlugin({ name: "tried", version: "1.0.0", register: () => hooks });

/** A turn of the model that calls the tool. */
export const adds = (a: number, b: number): Turn => ({ calls: [{ tool: "add", input: { a, b } }] });

/** A turn of the model that gives a task away, to be tried twice at most. */
export const delegates: Turn = {
  calls: [{ tool: "delegate", input: { prompt: "Write a poem", agent: "poet", maxIterations: 2 } }],
};

/** What is said on a stage: by the agent at the front, and by the one that is given a poem to write. */
export interface Script {
  readonly turns?: readonly Turn[];
  readonly poet?: readonly Turn[];
}

/** A runtime with these plugins. */
export async function stage(plugins: readonly Plugin[], { turns = ["Hello."], poet = ["Roses."] }: Script = {}) {
  const model = scriptedModel({ scripts: [{ when: { system: "You rhyme." }, turns: poet }, { turns }] });
  const agents = [{ name: "poet", description: "Writes poems", instructions: "You rhyme." }];
  const runtime = createRuntime({ model, agents, tools: [add], approve: "all" });
  await runtime.plugins.add(...plugins.map((plugin) => ({ plugin })));
  return { runtime, model, session: runtime.open() };
}

/** Asks the agent something with these hooks in place: its answer, what the model read, what its calls and tasks came to. */
export async function play(hooks: Hooks | ThreadHooks, script: Script = {}, prompt = "Hi") {
  const { runtime, model, session } = await stage([hooking(hooks)], script);
  const { text, status, error } = await session.run("assistant", prompt).result;
  const tasks = await session.tasks();
  await runtime.close();
  const read = model.requests.flatMap(({ messages }) => messages).map((message) => JSON.stringify(message));
  return { text, status, error, tasks, read: read.join("\n") };
}

/** Calls the tool with these hooks in place. */
export async function callAdd(hooks: Hooks, input: Json) {
  const { runtime, session } = await stage([hooking(hooks)]);
  const result = await session.call("add", input);
  await runtime.close();
  return result;
}
