import type { Json } from "@pegboard/contract";
import type { ModelRequest } from "../core/model.ts";
import type { AnyTool } from "../core/registry.ts";
import type { ScriptedTurn, Turn } from "../models/script.ts";
import { scriptedModel } from "../models/scripted.ts";
import { createRuntime, type Runtime } from "../runtime.ts";

/** What a door is tried out with. */
export interface TransportStage {
  /** What happened to its tools, in order: `asked hello`, `waits` and `cancelled`. */
  happened(): readonly string[];
  /** Hangs up the tool `late`. */
  hangLate(): Promise<void>;
}

/** No conversation of the story is longer. */
const TURNS = 200;

/** How many characters the tool `big` returns. */
export const BIG = 200_000;

/** The schema of the tool `echo`: a client must get it as it is. */
export const ECHO_INPUT = {
  type: "object",
  properties: { text: { type: "string", description: "What to say" } },
  required: ["text"],
};

/**
 * A runtime with tools that try a door out. Its model does as it is told: `call echo {"text":"a"}` makes an agent call
 * that tool, and say what came of it.
 */
export function createTransportStage(): TransportStage & { readonly runtime: Runtime } {
  const happened: string[] = [];
  const runtime = createRuntime({ tools: tools(happened), model: scriptedModel(Array<Turn>(TURNS).fill(act)) });
  const late = { name: "late", description: "Came later", input: {}, execute: () => "" };
  return { runtime, happened: () => happened, hangLate: async () => void runtime.tools.register(late) };
}

function tools(happened: string[]): readonly AnyTool[] {
  const nothing = { type: "object" };
  const free = { approval: "preApproved" } as const;
  return [
    { name: "echo", description: "Says it again", input: ECHO_INPUT, ...free, execute: ({ text }) => text },
    {
      name: "sum",
      description: "Adds two numbers",
      input: { type: "object", properties: { a: { type: "number" }, b: { type: "number" } }, required: ["a", "b"] },
      output: { type: "object", properties: { sum: { type: "number" } }, required: ["sum"] },
      ...free,
      execute: ({ a, b }: { a: number; b: number }) => ({ sum: a + b }),
    },
    {
      name: "fail",
      description: "Fails",
      input: nothing,
      ...free,
      execute() {
        throw new Error("it did not work out");
      },
    },
    {
      name: "wait",
      description: "Reports that it waits, and waits until it is cancelled",
      input: nothing,
      ...free,
      async execute(_, { signal, progress }) {
        progress("waiting", { current: 1, total: 2 });
        happened.push("waits");
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        happened.push("cancelled");
        return "cancelled";
      },
    },
    {
      name: "ask_first",
      description: "Needs approval",
      input: ECHO_INPUT,
      approval: "ask",
      execute({ text }: { text: string }) {
        happened.push(`asked ${text}`);
        return `asked ${text}`;
      },
    },
    {
      name: "where",
      description: "Tells its session",
      input: nothing,
      ...free,
      execute: (_, { session }) => session.id,
    },
    { name: "big", description: "Says a lot", input: nothing, ...free, execute: () => "x".repeat(BIG) },
  ] satisfies AnyTool[];
}

function act({ messages }: ModelRequest): string | ScriptedTurn {
  const last = messages.at(-1);
  if (last?.role === "tool") return textOf(last.results.flatMap(({ content }) => content));
  const [, tool, input = "{}"] = /call (\w+) ?(\{.*\})?/s.exec(last?.role === "user" ? textOf(last.content) : "") ?? [];
  return tool === undefined ? "I do as I am told" : { calls: [{ tool, input: JSON.parse(input) as Json }] };
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map(({ text, type }) => text ?? type).join("\n");
}
