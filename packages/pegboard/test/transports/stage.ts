import { setTimeout as wait } from "node:timers/promises";
import { createRuntime, defineTool, type Runtime, type RuntimeOptions, scriptedModel } from "../../src/index.ts";

const TEXT = { type: "object", properties: { text: { type: "string" } }, required: ["text"] } as const;
// One pixel.
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const free = { approval: "preApproved" } as const;

/** Tools that show what a door makes of them. */
const TOOLS = [
  defineTool({ name: "echo", description: "Says it again", input: TEXT, ...free, execute: ({ text }) => text ?? "" }),
  defineTool({
    name: "where",
    description: "Tells in which session it runs",
    input: { type: "object" },
    ...free,
    async execute(_, { session }) {
      await wait(5);
      return { session: session.id };
    },
  }),
  defineTool({
    name: "slow",
    description: "Waits until it is cancelled",
    input: { type: "object" },
    ...free,
    async execute(_, { signal, progress }) {
      progress("waiting", { current: 1, total: 2 });
      await wait(60_000, undefined, { signal });
      return "never";
    },
  }),
  defineTool({
    name: "send",
    description: "Needs approval",
    input: TEXT,
    approval: "ask",
    execute: ({ text }) => `sent ${text}`,
  }),
  defineTool({
    name: "picture",
    description: "Draws",
    input: { type: "object" },
    ...free,
    execute: () => ({ content: [{ type: "image", data: PNG, mimeType: "image/png" }] }),
  }),
];

/** The model of all agents here: what it does follows from what it is asked. */
const model = scriptedModel({
  scripts: [
    { when: { prompt: "send it" }, turns: [{ calls: [{ tool: "send", input: { text: "it" } }] }, "It is sent"] },
    {
      when: { prompt: "ask a helper" },
      turns: [{ calls: [{ tool: "agent", input: { agent: "helper", prompt: "help me" } }] }, "The helper said so"],
    },
    { when: { prompt: "be slow" }, turns: [{ calls: [{ tool: "slow", input: {} }] }, "done"] },
    { when: { prompt: "help me" }, turns: [{ calls: [{ tool: "echo", input: { text: "ok" } }] }, "Helped"] },
    { turns: ["First", "Second", "Third"] },
  ],
});

/** Those tools, a helper, and a model that needs no key. */
export const STAGE: RuntimeOptions = {
  model,
  policy: { rules: [{ tool: "agent", approval: "preApproved" }] },
  agents: [{ name: "helper", description: "Helps", instructions: "Help." }],
  tools: TOOLS,
};

/** A runtime with all of that. */
export function makeRuntime(options: RuntimeOptions = {}): Runtime {
  return createRuntime({ ...STAGE, ...options });
}
