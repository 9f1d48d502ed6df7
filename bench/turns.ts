import { generateText, isStepCount, jsonSchema, streamText, tool, type ToolSet } from "ai";
import { convertArrayToReadableStream, MockLanguageModelV4 } from "ai/test";
import { type AnyTool, createRuntime, defineTool, type Model } from "pegboard";
import { fromAiSdkModel } from "pegboard/ai-sdk";
import { type Contestant, type Measured, measure, median, ratio } from "./measure.ts";
import { type Report, toSize, toTime } from "./report.ts";

const TURNS = 100;
const SIZES = [10, 100, 1_000] as const;
const IDLE = 200;
const SCHEMA = { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const;

/** What the loop itself costs: a model that answers at once with one call, a hundred times. */
export async function turns(): Promise<Report> {
  const rows: (readonly Measured[])[] = [];
  for (const size of SIZES)
    rows.push(
      await measure([pegboard(size), generate(size), stream(size)], { rounds: 5, warmUpMs: 800, roundMs: 300 }),
    );
  const few = rows[0]!;
  const many = rows.at(-1)!;
  const idle = await weighIdle();
  return {
    title: `turns: one of ${TURNS} turns of a run with one call each, by the number of tools`,
    table: [
      ["tools", ...SIZES.map((size) => size.toLocaleString("en"))],
      ...few.map(({ name }, place) => [name, ...rows.map((row) => toTime(median(row[place]!.ns) / TURNS))]),
      ["heap of an idle run", toSize(idle), "", ""],
    ],
    ratios: [
      { name: "pegboard / AI SDK 7 generateText, 10 tools", value: ratio(few[0]!, few[1]!), target: 2 },
      { name: "pegboard / AI SDK 7 streamText, 10 tools", value: ratio(few[0]!, few[2]!) },
      { name: "pegboard, 1,000 tools / 10 tools", value: ratio(many[0]!, few[0]!), target: 1.3 },
      { name: "AI SDK 7 generateText, 1,000 tools / 10 tools", value: ratio(many[1]!, few[1]!) },
      { name: "an idle run", value: idle / 1e3, target: 10, unit: " kB" },
    ],
  };
}

function pegboard(size: number): Contestant {
  const runtime = createRuntime({ builtins: false, tools: toTools(size), limits: { turns: TURNS + 1 } });
  const agent = { name: "helper", description: "Helps", instructions: "You help." };
  const model = fromAiSdkModel(mock());
  const run = async () => {
    const session = runtime.open();
    const { status, calls, error } = await session.run(agent, "Go", { model }).result;
    if (status !== "completed" || calls !== TURNS) throw new Error(`The run failed: ${error?.message}`);
    await session.close();
  };
  return { name: "pegboard", run };
}

function generate(size: number): Contestant {
  const tools = toAiTools(size);
  const run = async () => {
    const { steps } = await generateText({ model: mock(), tools, prompt: "Go", stopWhen: isStepCount(TURNS + 1) });
    if (steps.length !== TURNS + 1) throw new Error("The run failed");
  };
  return { name: "AI SDK 7 generateText", run };
}

function stream(size: number): Contestant {
  const tools = toAiTools(size);
  const run = async () => {
    const { steps } = streamText({ model: mock(), tools, prompt: "Go", stopWhen: isStepCount(TURNS + 1) });
    if ((await steps).length !== TURNS + 1) throw new Error("The run failed");
  };
  return { name: "AI SDK 7 streamText", run };
}

function mock(): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  const answers = (prompt: readonly { readonly role: string }[]) => prompt.filter(({ role }) => role === "tool").length;
  const call = (n: number) =>
    ({ type: "tool-call", toolCallId: `c${n}`, toolName: "tool0", input: `{"n":${n}}` }) as const;
  const end = (calls: boolean) => ({ unified: calls ? "tool-calls" : "stop", raw: undefined }) as const;
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const n = answers(prompt);
      const content = n < TURNS ? [call(n)] : [{ type: "text", text: "Done." } as const];
      return { content, finishReason: end(n < TURNS), usage, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      const n = answers(prompt);
      const text = [
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "Done." },
        { type: "text-end", id: "1" },
      ] as const;
      const parts = n < TURNS ? [call(n)] : text;
      return {
        stream: convertArrayToReadableStream([
          { type: "stream-start", warnings: [] },
          ...parts,
          { type: "finish", finishReason: end(n < TURNS), usage },
        ]),
      };
    },
  });
  // It keeps every request; a hundred turns would weigh on the collector.
  model.doGenerateCalls.push = () => 0;
  model.doStreamCalls.push = () => 0;
  return model;
}

function toTools(size: number): AnyTool[] {
  return Array.from({ length: size }, (_, index) =>
    defineTool({
      name: `tool${index}`,
      description: "Counts",
      input: { ...SCHEMA },
      capabilities: ["read"],
      execute: ({ n }) => `n is ${n as number}`,
    }),
  );
}

function toAiTools(size: number): ToolSet {
  const one = (): ToolSet[string] =>
    tool({
      description: "Counts",
      inputSchema: jsonSchema<{ n: number }>({ ...SCHEMA, required: [...SCHEMA.required] }),
      execute: ({ n }) => `n is ${n}`,
    });
  return Object.fromEntries(Array.from({ length: size }, (_, index) => [`tool${index}`, one()]));
}

/** The heap of a run whose model has not answered yet. */
async function weighIdle(): Promise<number> {
  const runtime = createRuntime({ builtins: false, tools: toTools(10) });
  const session = runtime.open();
  const agent = { name: "helper", description: "Helps", instructions: "You help." };
  const model: Model = {
    id: "silent:model",
    stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
  };
  const heap = async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    gc!();
    return process.memoryUsage().heapUsed;
  };
  const start = () => session.run(agent, "Go", { model });
  const first = start();
  const before = await heap();
  const runs = Array.from({ length: IDLE }, start);
  const grown = (await heap()) - before;
  first.cancel();
  for (const run of runs) run.cancel();
  await runtime.close();
  return grown / IDLE;
}
