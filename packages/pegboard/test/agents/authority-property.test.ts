import type { Agent, Capability, Tool } from "@pegboard/contract";
import fc from "fast-check";
import {
  type Budget,
  createRuntime,
  defineTool,
  type Event,
  type ModelRequest,
  type Rule,
  scriptedModel,
  type ScriptedTurn,
} from "pegboard";
import { expect, test } from "vitest";
import { ofType, textOf } from "./stage.ts";

// Left out on purpose: `requiredAgent`, and rules that allow something to one agent by its name. Both are words of whoever
// runs the place, and they alone may give a child what the agent above it has not.

interface Node {
  readonly above: number;
  readonly path: "agent" | "wait" | "background" | "spawn";
  readonly again: boolean;
  readonly tools: readonly string[] | undefined;
  readonly readOnly: boolean;
  /** The tools of its prompt tool, if it has one. */
  readonly prompt: readonly string[] | undefined;
}

interface Scene {
  readonly nodes: readonly Node[];
  readonly tools: readonly { readonly capabilities: readonly Capability[]; readonly approved: boolean }[];
  readonly rules: readonly Rule[];
  readonly approve: "all" | "none";
}

const PLAIN = ["t0", "t1", "t2", "t3"];
const NESTING = ["via0", "via1"];
const NAMES = [...PLAIN, ...NESTING];
const ASKING = ["agent", "delegate", "spawn_agent"];

const entry = fc.constantFrom(...NAMES, "*", "t*", "*1", "v*0", "!t0", "!t1", "!*2", "!via*", "!t*");
const list = fc.array(entry, { maxLength: 4 });
const asking = list.map((entries) => (entries.every((one) => one.startsWith("!")) ? entries : [...entries, ...ASKING]));
const node: fc.Arbitrary<Node> = fc.record({
  above: fc.nat(),
  path: fc.constantFrom("agent", "wait", "background", "spawn"),
  again: fc.boolean(),
  tools: fc.option(asking, { nil: undefined }),
  readOnly: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  prompt: fc.option(asking, { nil: undefined }),
});
const capabilities = fc.constantFrom<readonly Capability[]>(["read"], ["state"], ["write"], ["read", "write"], []);
const rule: fc.Arbitrary<Rule> = fc
  .record({
    tool: fc.constantFrom(...NAMES, "t*", "via*"),
    agent: fc.option(fc.constantFrom("n0", "n1", "n2", "n3"), { nil: undefined }),
    approval: fc.constantFrom("blocked", "ask", "preApproved"),
  })
  .filter(({ agent, approval }) => agent === undefined || approval !== "preApproved")
  .map(({ agent, ...more }) => ({ ...more, ...(agent !== undefined && { agent }) }));
const scenes: fc.Arbitrary<Scene> = fc.record({
  nodes: fc.array(node, { minLength: 2, maxLength: 5 }),
  tools: fc.tuple(...NAMES.map(() => fc.record({ capabilities, approved: fc.boolean() }))),
  rules: fc.array(rule, { maxLength: 3 }),
  approve: fc.constantFrom("all", "none"),
});

test("whatever a child runs, every agent above it sees, may run, and ran itself", async () => {
  let byChildren = 0;
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      const { events, ran, offered } = await play(scene);
      const above = parents(events);
      for (const [run, tools] of ran) {
        for (let one = above.get(run); one !== undefined; one = above.get(one)) {
          byChildren += tools.size;
          for (const name of tools) {
            expect(offered.get(one), `what ${one} is offered`).toContain(name);
            expect([...(ran.get(one) ?? [])], `what ${one} ran`).toContain(name);
          }
        }
      }
      for (const { run, chain = [] } of ofType(events, "run-start"))
        for (const name of ran.get(run!) ?? [])
          expect(mayUse(chain, name, scene), `${chain.join(" > ")}: ${name}`).toBe(true);
      refused += ofType(events, "call-end").filter(({ data }) => data.error?.code === "denied").length;
    }),
    { numRuns: 60 },
  );
  // A stage where nothing happens would prove nothing.
  expect(byChildren).toBeGreaterThan(30);
  expect(refused).toBeGreaterThan(30);
}, 60_000);

test("no run of a tree begins a turn, or starts another, that the budget of the run above has nothing left for", async () => {
  const budget = fc.record({ tokens: fc.integer({ min: 1, max: 400 }), spawns: fc.integer({ min: 0, max: 6 }) });
  await fc.assert(
    fc.asyncProperty(scenes, budget, async (scene, most) => {
      const { events, result } = await play({ ...scene, approve: "all", rules: [] }, most);
      let used = 0;
      for (const { type, data } of events) {
        if (type === "turn-start") expect(used).toBeLessThan(most.tokens);
        if (type === "turn-end") used += data.usage.input + data.usage.output;
      }
      expect(result.usage.input + result.usage.output).toBe(used);
      expect(ofType(events, "run-start").length - 1).toBeLessThanOrEqual(most.spawns);
    }),
    { numRuns: 40 },
  );
}, 60_000);

/** Runs the first agent of a scene. Each tries every tool, then its prompt, then asks those below it, some of them twice. */
async function play({ nodes, tools, rules, approve }: Scene, budget: Budget = {}) {
  const ran = new Map<string, Set<string>>();
  const offered = new Map<string, readonly string[]>();
  const toTool = (name: string, index: number) =>
    defineTool({
      name,
      description: `Does ${name}`,
      input: { type: "object" },
      capabilities: [...tools[index]!.capabilities],
      ...(tools[index]!.approved && { approval: "preApproved" as const }),
      async execute(_: unknown, { agent, call }) {
        const known = ran.get(agent!.run!) ?? new Set();
        ran.set(agent!.run!, known.add(name));
        if (NESTING.includes(name)) await call(name.replace("via", "t"), {});
        return "Ran.";
      },
    }) as Tool;
  const agents = nodes.map(({ tools: listed, readOnly, prompt }, index): Agent => ({
    name: `n${index}`,
    description: "Tries",
    instructions: `You are the n${index}.`,
    ...(listed && { tools: listed }),
    ...(readOnly && { mode: "read-only" }),
    ...(prompt && {
      promptTools: [
        { name: `p${index}`, description: "Tries too", prompt: "Go", input: { type: "object" }, tools: prompt },
      ],
    }),
  }));
  const says = (request: ModelRequest) => speak(request, nodes);
  const model = scriptedModel(Array.from({ length: 40 }, () => says));
  const runtime = createRuntime({
    model,
    agents,
    tools: NAMES.map(toTool),
    policy: { rules: [...ASKING.map((tool): Rule => ({ tool, approval: "preApproved" })), ...rules] },
    limits: { depth: 8, fanout: 50, budgetSpawns: 1_000, poolSize: 100 },
  });
  const session = runtime.open({ approve });
  const result = await session.run("n0", "Go", { budget }).result;
  const events = await runtime.store.read({ session: session.id });
  for (const { run, data } of ofType(events, "turn-start")) if (data.tools) offered.set(run!, data.tools);
  await runtime.close();
  return { events, ran, offered, result };
}

function speak({ system, messages }: ModelRequest, nodes: readonly Node[]): ScriptedTurn {
  const [, kind, digit] = /You are the (?:tool ")?([np])(\d)/.exec(system)!;
  const own = Number(digit);
  const asked = messages.findLastIndex((message) => message.role === "user" && textOf(message).startsWith("Go"));
  const since = messages.slice(asked + 1);
  const usage = { input: 7, output: 3 };
  const below = nodes.flatMap((other, index) =>
    index > 0 && other.above % index === own ? [{ ...other, index }] : [],
  );
  const turns: (() => ScriptedTurn["calls"])[] = [
    () => NAMES.map((tool) => ({ tool })),
    () => (kind === "n" ? [{ tool: `p${own}` }] : []),
    () => below.map(({ index, path }) => toAsking(`n${index}`, kind === "p" ? "agent" : path)),
    () =>
      [
        ...since
          .map(textOf)
          .join("\n")
          .matchAll(/\(agent "(n\d)", run ([\w-]{36})/g),
      ]
        .filter(([, name]) => nodes[Number(name!.slice(1))]!.again)
        .map(([, name, run]) => ({ tool: "agent", input: { agent: name!, prompt: "Go again", continue: run! } })),
  ];
  const calls = turns[since.filter(({ role }) => role === "assistant").length]?.() ?? [];
  if (calls.length > 0) return { calls, usage };
  return { text: "Done.", usage };
}

function toAsking(agent: string, path: Node["path"]) {
  if (path === "agent") return { tool: "agent", input: { agent, prompt: "Go" } };
  if (path === "spawn") return { tool: "spawn_agent", input: { name: `${agent}.md`, prompt: "Go", mode: "wait" } };
  return { tool: "delegate", input: { agent, prompt: "Go", mode: path } };
}

/** The run above each run. */
function parents(events: readonly Event[]): ReadonlyMap<string, string> {
  const runOfCall = new Map(ofType(events, "call-start").map(({ call, run }) => [call!, run]));
  const pairs = ofType(events, "run-start").flatMap(({ run, parent }) => {
    const above = parent === undefined ? undefined : runOfCall.get(parent);
    return above === undefined ? [] : [[run!, above] as const];
  });
  return new Map(pairs);
}

/** What lists and modes say, told a second way: whether everybody in a chain may use a tool. */
function mayUse(chain: readonly string[], name: string, { nodes, tools }: Scene): boolean {
  const matches = (pattern: string) => new RegExp(`^${pattern.replaceAll("*", ".*")}$`).test(name);
  return chain.every((one) => {
    const { tools: own, prompt, readOnly } = nodes[Number(one.slice(1))]!;
    const entries = one.startsWith("p") ? prompt : own;
    const harmless = tools[NAMES.indexOf(name)]!.capabilities;
    const reads = harmless.length > 0 && harmless.every((each) => each === "read" || each === "state");
    if (one.startsWith("n") && readOnly && !reads) return false;
    if (!entries) return true;
    if (entries.some((each) => each.startsWith("!") && matches(each.slice(1)))) return false;
    const allowing = entries.filter((each) => !each.startsWith("!"));
    return allowing.length === 0 ? entries.length > 0 : allowing.some(matches);
  });
}
