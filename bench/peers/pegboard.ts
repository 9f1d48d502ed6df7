import { createRuntime, defineTool, Registry, type Rule, type Store } from "pegboard";
import { DESCRIPTION, INPUT, search, toolName, toSchema } from "../search-tool.ts";
import type { Peer } from "./peer.ts";

/** Twenty rules. Four concern the tools that are called, and the last one of these lets them run. */
export const RULES: readonly Rule[] = [
  ...Array.from({ length: 12 }, (_, index): Rule => ({ tool: `other_${index}`, approval: "ask" })),
  { tool: "danger__*", approval: "blocked" },
  { toolset: "shell", approval: "blocked" },
  { capability: "network", approval: "ask" },
  { capability: "process", agent: "builder", approval: "preApproved" },
  { tool: "search_*", client: "stranger", approval: "ask" },
  { tool: "search_*", mode: "interactive", approval: "ask" },
  { tool: "search_*", input: { "/query": "*password*" }, approval: "blocked" },
  { tool: "search_*", approval: "preApproved" },
];

/** Tools for the board, each with a schema of its own. */
export function toTools(count: number) {
  return Array.from({ length: count }, (_, index) =>
    defineTool({ name: toolName(index), description: DESCRIPTION, input: toSchema(), execute: search }),
  );
}

/** The whole pipeline in process: schema, policy, limits, and every event in a store in memory unless another is given. */
export function pegboardPeer(tools = 1, store?: Store): Peer {
  const registry = new Registry();
  registry.register(toTools(tools));
  const open = () => {
    const runtime = createRuntime({ registry, policy: { rules: RULES }, ...(store && { store }) });
    return { runtime, session: runtime.open() };
  };
  let { runtime, session } = open();
  return {
    name: "pegboard",
    async call(index) {
      const { ok, content, error } = await session.call(toolName(index), INPUT);
      const [block] = content;
      if (!ok || block?.type !== "text") throw new Error(`The call failed: ${error?.message}`);
      return block.text;
    },
    // The memory store keeps every event for as long as it lives: without this its log would grow with the rounds.
    async renew() {
      if (store) return;
      await runtime.close();
      ({ runtime, session } = open());
    },
    async [Symbol.asyncDispose]() {
      await runtime.close();
    },
  };
}
