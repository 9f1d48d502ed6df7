import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Agent } from "@pegboard/contract";
import { createRuntime, defineTool, type Runtime, type Script, type ScriptedTurn, scriptedModel } from "pegboard";
import { isProcessAlive, sqliteStore } from "pegboard/node";
import { processIdentity } from "../../packages/pegboard/src/node/process-identity.ts";
import { openJournal } from "../log/journal.ts";

/** How many effects a run of `lead` has, with all that it starts. */
export const EFFECTS = 6;
/** How many runs it starts. */
export const CHILDREN = 5;

const AGENTS: readonly Agent[] = [
  {
    name: "lead",
    description: "Leads",
    instructions: "You lead.",
    // Nothing that may be interrupted: what must be done would be missing then, and the script does not do it again.
    requirements: { all: ["look", "agent"] },
    promptTools: [
      {
        name: "shorten",
        description: "Shortens",
        prompt: "Shorten {{text}}",
        input: { type: "object", properties: { text: { type: "string" } } },
        tools: ["look"],
      },
    ],
  },
  { name: "middle", description: "Passes on", instructions: "You pass on." },
  { name: "deep", description: "Passes on too", instructions: "You pass on too." },
  { name: "last", description: "Works", instructions: "You work." },
  { name: "aside", description: "Works beside", instructions: "You work beside." },
];

const ask = (agent: string) => ({ tool: "agent", input: { agent, prompt: `Go, ${agent}` } });
const turns = (...all: readonly (string | ScriptedTurn)[]): ScriptedTurn[] =>
  all.map((turn) => ({
    delay: 1,
    usage: { input: 1, output: 1 },
    ...(typeof turn === "string" ? { text: turn } : turn),
  }));

/** A team three deep: what reads, what has an effect, prompts, agents that ask agents, and work in the background. */
const SCRIPT: Script = {
  scripts: [
    {
      when: { system: "You lead." },
      turns: turns(
        { calls: [{ tool: "look" }, { tool: "effect" }, { tool: "look" }] },
        "Too early",
        { calls: [{ tool: "shorten", input: { text: "a" } }, ask("middle")] },
        {
          calls: [
            { tool: "delegate", input: { agent: "aside", prompt: "Go" } },
            { tool: "effect", input: { again: true } },
          ],
        },
        "Led",
        // When the word of what went on beside it came later.
        "Led",
      ),
    },
    { when: { system: "You pass on." }, turns: turns({ calls: [ask("deep"), { tool: "effect" }] }, "Passed on") },
    {
      when: { system: "You pass on too." },
      turns: turns({ calls: [ask("last")] }, { calls: [{ tool: "look" }] }, "Passed"),
    },
    { when: { system: "You work beside." }, turns: turns({ calls: [{ tool: "effect" }] }, "Worked beside") },
    {
      when: { system: "You work." },
      turns: turns({ calls: [{ tool: "effect" }, { tool: "effect", input: { n: 2 } }] }, "Worked"),
    },
    { when: { system: "shorten" }, turns: turns({ calls: [{ tool: "look" }] }, "Short") },
  ],
};

/** Opens a runtime with the team. Its store is in the folder, the ledger of effects beside it. */
export function openTeam(folder: string): Runtime {
  const ledger = openJournal(join(folder, "ledger"));
  return createRuntime({
    store: sqliteStore(databaseOf(folder)),
    process: { identity: processIdentity(), isAlive: isProcessAlive },
    model: scriptedModel(SCRIPT),
    agents: AGENTS,
    approve: "all",
    tools: [
      defineTool({
        name: "effect",
        description: "Has an effect in the middle of its work, which must not happen twice",
        input: { type: "object" },
        async execute(_, { callId }) {
          await setTimeout(3);
          ledger.add(callId);
          await setTimeout(3);
          return "done";
        },
      }),
      defineTool({
        name: "look",
        description: "Only reads",
        input: { type: "object" },
        capabilities: ["read"],
        execute: async () => (await setTimeout(1), "seen"),
      }),
    ],
  });
}

/** The database of such a runtime. */
export function databaseOf(folder: string): string {
  return join(folder, "data", "pegboard.db");
}
