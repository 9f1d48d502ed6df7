import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, createRuntime, defineTool, memoryStore, type Model, type Store } from "pegboard";
import { sqliteStore } from "pegboard/node";
import { type Measured, measure, median, ratio } from "./measure.ts";
import { HOW_TO_INSTALL, langGraph } from "./peers/langgraph.ts";
import { type Ratio, type Report, toSize, toTime } from "./report.ts";

const CHILDREN = 50;
const TASKS = 1_000;
const CONCURRENCY = 3;
const TURNS = 100;
const RULES = ["agent", "delegate"].map((tool) => ({ tool, approval: "preApproved" as const }));
const CHILD = { name: "child", description: "Helps", instructions: "You help." };
const PARENT = { name: "parent", description: "Asks", instructions: "You ask." };

/** What agents that work for agents cost: one more run, a thousand tasks in the background, and a turn that is on disk. */
export async function children(): Promise<Report> {
  const [asked, bare] = await measure([askedRuns(), bareRuns()], { rounds: 7, warmUpMs: 800, roundMs: 300 });
  const folder = mkdtempSync(join(tmpdir(), "pegboard-bench-"));
  try {
    const { seconds, most, heap } = await queueTasks(sqliteStore(join(folder, "tasks.db")));
    const { onDisk, inMemory, graphs } = await timeTurns(folder);
    return {
      title: `children: runs that runs start, ${TASKS.toLocaleString("en")} tasks in the background, and turns on disk`,
      table: [
        ["what", "each"],
        ["a run of an agent", toTime(median(bare.ns) / CHILDREN)],
        ["a run that the tool agent starts", toTime(median(asked.ns) / CHILDREN)],
        [`one of ${TASKS.toLocaleString("en")} tasks in the background, on SQLite`, toTime((seconds / TASKS) * 1e9)],
        ["heap before, with all queued, half done, all done", heap.map(toSize).join(", ")],
        ["a turn with one call, in memory", toTime(median(inMemory.ns) / TURNS)],
        ["a turn with one call, on SQLite", toTime(median(onDisk.ns) / TURNS)],
        ...graphs.map((graph) => [`the same turn, ${graph.name}`, toTime(median(graph.ns) / TURNS)]),
      ],
      ratios: [
        { name: "a run that a run starts / a run", value: ratio(asked, bare), target: 2 },
        { name: "tasks at work at once, at most", value: most, target: CONCURRENCY },
        { name: "heap after all tasks / before", value: heap[3]! / heap[0]!, target: 1.5 },
        { name: "a turn on SQLite / in memory", value: ratio(onDisk, inMemory) },
        ...graphs.map((graph): Ratio => ({
          name: `a turn on SQLite / ${graph.name}`,
          value: ratio(onDisk, graph),
          target: 1,
        })),
      ],
      notes:
        graphs.length > 0
          ? ["LangGraph as it comes does not wait for the disk; one that is synced does, as Pegboard always does."]
          : [`LangGraph is not installed, so no turn is compared with it: ${HOW_TO_INSTALL}`],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function bareRuns() {
  const { runtime, model } = stage();
  return {
    name: "runs",
    async run() {
      const session = runtime.open();
      for (let index = 0; index < CHILDREN; index++)
        check(await session.run(CHILD, `Go ${index}`, { model: model([]) }).result);
      await session.close();
    },
  };
}

function askedRuns() {
  const { runtime, model } = stage();
  const calls = Array.from({ length: CHILDREN }, (_, index) => ["agent", `Go ${index}`] as const);
  return {
    name: "runs of a run",
    async run() {
      const session = runtime.open();
      check(await session.run(PARENT, "Go", { model: model(calls) }).result);
      await session.close();
    },
  };
}

/** Gives a thousand tasks away in one turn. How long all took, how many worked at once, and the heap on the way. */
async function queueTasks(store: Store) {
  let [working, most, done] = [0, 0, 0];
  const heap: number[] = [];
  const weigh = () => {
    gc!();
    heap.push(process.memoryUsage().heapUsed);
  };
  const { runtime, model } = stage(store, async () => {
    most = Math.max(most, ++working);
    await new Promise((resolve) => setTimeout(resolve, 1));
    working--;
    if (done++ === 0 || done === TASKS / 2) weigh();
  });
  const session = runtime.open();
  check(await session.run(CHILD, "Go", { model: model([]) }).result);
  [most, done] = [0, 0];
  heap.length = 0;
  weigh();
  const start = performance.now();
  const calls = Array.from({ length: TASKS }, (_, index) => ["delegate", `Go ${index}`] as const);
  check(await session.run(PARENT, "Go", { model: model(calls) }).result);
  const seconds = (performance.now() - start) / 1000;
  const { length: ended } = await runtime.store.read({ session: session.id, type: "task-end" });
  if (ended !== TASKS) throw new Error(`${ended} tasks ended`);
  await session.close();
  weigh();
  await runtime.close();
  return { seconds, most, heap };
}

/** Times turns that are on disk beside those in memory and, where it is installed, those of LangGraph. */
async function timeTurns(folder: string) {
  const disk = sqliteStore(join(folder, "turns.db"));
  const graphs = [
    await langGraph("LangGraph as it comes", join(folder, "graph.db"), { turns: TURNS, firm: false }),
    await langGraph("LangGraph, synced", join(folder, "firm-graph.db"), { turns: TURNS, firm: true }),
  ].filter((graph) => graph !== undefined);
  const contestants = [turnsOn("SQLite", disk), turnsOn("memory", memoryStore()), ...graphs];
  const [onDisk, inMemory, ...others] = await measure(contestants, { rounds: 5, warmUpMs: 800, roundMs: 300 });
  for (const graph of graphs) graph.close();
  await disk.close();
  return { onDisk: onDisk!, inMemory: inMemory!, graphs: others as readonly Measured[] };
}

function turnsOn(name: string, store: Store) {
  const tools: AnyTool[] = [
    defineTool({
      name: "look",
      description: "Looks",
      input: { type: "object" },
      capabilities: ["read"],
      execute: () => "Seen.",
    }),
  ];
  const runtime = createRuntime({ builtins: false, tools, store, limits: { turns: TURNS + 1 } });
  const model: Model = {
    id: "bench:turns",
    async *stream({ messages }) {
      const n = messages.length >> 1;
      if (n < TURNS) yield { type: "call", id: `c${n}`, tool: "look", input: { n } };
      else yield { type: "text", text: "Done." };
      yield { type: "end", reason: n < TURNS ? "calls" : "stop", usage: { input: 1, output: 1 } };
    },
  };
  return {
    name,
    async run() {
      const session = runtime.open();
      check(await session.run(CHILD, "Go", { model }).result);
      await session.close();
    },
  };
}

/** A runtime, and a model that makes these calls in its first turn when it is the parent's. */
function stage(store: Store = memoryStore(), work?: () => Promise<void>) {
  const runtime = createRuntime({
    store,
    agents: [CHILD, PARENT],
    policy: { rules: RULES },
    limits: { fanout: TASKS, budgetSpawns: TASKS, turns: TASKS + 2, concurrency: CONCURRENCY, contextTokens: 1e9 },
  });
  const model = (calls: readonly (readonly [tool: string, prompt: string])[]): Model => ({
    id: "bench:model",
    async *stream({ system, messages }) {
      const isFirst = system.includes(PARENT.instructions) && messages.length === 1;
      if (isFirst)
        for (const [index, [tool, prompt]] of calls.entries())
          yield { type: "call", id: `c${index}`, tool, input: { agent: CHILD.name, prompt } };
      else {
        // While the parent thinks, several results come: they are read together.
        if (system.includes(PARENT.instructions) && work) await new Promise((resolve) => setTimeout(resolve, 50));
        if (system.includes(CHILD.instructions)) await work?.();
        yield { type: "text", text: "Done." };
      }
      yield { type: "end", reason: isFirst ? "calls" : "stop", usage: { input: 1, output: 1 } };
    },
  });
  return { runtime, model };
}

function check({ status, error }: { readonly status: string; readonly error?: { readonly message: string } }): void {
  if (status !== "completed") throw new Error(`The run failed: ${error?.message}`);
}
