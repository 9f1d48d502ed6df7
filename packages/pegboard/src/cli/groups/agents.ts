import type { CommandSpec } from "../command.ts";
import { EXPIRES, SERVER } from "./shared-options.ts";

const MODEL = { flags: "--model <model>", description: "provider:model, or an alias, over the agent's own" };

/** The commands that let agents work. */
export const AGENT_COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    description: "Run an agent once, and print its answer",
    arguments: [
      {
        name: "<agent>",
        description: "the agent's name; assistant is always there. Or a command: /name, /plugin:name",
      },
      { name: "[prompt...]", description: "what it is to do; without words, or with -, read from standard input" },
    ],
    options: [
      MODEL,
      { flags: "--stream-json", description: "print every event of the run as a line of JSON, and nothing else" },
      { flags: "--attach <file>", description: "take a file along (may be repeated)", repeats: true },
      { flags: "--max-cost <usd>", description: "end it when it has cost so many US dollars" },
      { flags: "--max-turns <count>", description: "end it when the model has been asked so often" },
      { flags: "--hide-denied", description: "do not tell the model of tools that nobody is there to allow" },
      { flags: "--session <id>", description: "in this session, with what is remembered there" },
      { flags: "--continue <run>", description: "go on with this run; the beginning of its id is enough" },
      EXPIRES,
      SERVER,
    ],
    examples: [
      `pegboard run assistant "What can you do?" --model google:gemini-2.5-flash`,
      "pegboard run reviewer <changes.diff",
      "pegboard run reader --attach invoice.pdf --json What does it cost",
      "pegboard run reporter --approve wait --max-cost 0.50 Write the report of this week",
      "pegboard run /acme:review src/main.ts",
      `pegboard run assistant --continue 3f2a "And why?"`,
    ],
    load: async () => (await import("../commands/run.ts")).run,
  },
  {
    name: "chat",
    description: "Talk with an agent, prompt by prompt",
    arguments: [{ name: "[agent]", description: "the agent's name", fallback: "assistant" }],
    options: [MODEL, EXPIRES, SERVER],
    examples: [
      "pegboard chat",
      "pegboard chat researcher --model anthropic:claude-sonnet-4-5",
      `printf 'Hello\\nWhat did I say?\\n' | pegboard chat`,
    ],
    load: async () => (await import("../commands/chat.ts")).chat,
  },
  {
    name: "agents",
    description: "Look at what is kept for agents",
    commands: [
      {
        name: "pool",
        usage: "pegboard agents pool",
        description: "Show how many agents are kept warm, and for how long; a chat shows its own with /pool",
        examples: ["pegboard agents pool", "pegboard agents pool --json"],
        load: async () => (await import("../commands/agents-pool.ts")).agentsPool,
      },
    ],
  },
];
