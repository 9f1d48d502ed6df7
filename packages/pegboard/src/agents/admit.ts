import { PegboardError } from "../core/error.ts";
import { canonicalJson } from "../core/json.ts";
import type { AgentRun } from "./agent-run.ts";
import { nameOf, type RunRequest } from "./run-request.ts";

/** Checks what a run asks for against its limits, and counts it. Throws `depth_limit`, `fanout_limit`, `loop` or `budget_limit`. */
export function admit({ agent, prompt, own }: RunRequest, parent: AgentRun): void {
  const { limits } = parent.workbench;
  const name = nameOf(agent);
  const chain = parent.chain.join(" > ");
  if (parent.chain.length > limits.depth)
    throw new PegboardError(
      "depth_limit",
      `Agent "${name}" would be ${parent.chain.length} deep (${chain} > ${name}); the limit is ${limits.depth}`,
    );
  if (parent.started >= limits.fanout)
    throw new PegboardError(
      "fanout_limit",
      `Agent "${parent.agent}" started ${parent.started} runs, which is its limit`,
    );
  if (parent.chain.filter((one) => one === name).length >= limits.sameAgentInChain)
    throw new PegboardError("loop", `Agent "${name}" is in the chain ${chain} already`);
  const key = canonicalJson([name, prompt]);
  if (!own && parent.asked.includes(key))
    throw new PegboardError(
      "loop",
      `Agent "${name}" was asked this very thing before in this run: use its first answer`,
    );
  parent.spending.spawn();
  if (!own) parent.asked.push(key);
  parent.started++;
}
