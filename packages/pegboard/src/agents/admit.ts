import { PegboardError } from "../core/error.ts";
import { isListed } from "../core/scope.ts";
import type { AgentRun } from "./agent-run.ts";
import { nameOf, requestKey, type RunRequest } from "./run-request.ts";

/** Checks what a run asks for, and counts it. Throws what `checkAdmission` throws. */
export function admit(request: RunRequest, parent: AgentRun): void {
  checkAdmission(request, parent);
  parent.spending.spawn();
  if (!request.own) parent.asked.push(requestKey(request));
  parent.started++;
}

/**
 * Checks what a run asks for against its limits. Throws `denied`, `depth_limit`, `fanout_limit`, `loop`, `budget_limit` or
 * `busy`.
 */
export function checkAdmission(request: RunRequest, parent: AgentRun): void {
  const { fanout } = parent.workbench.limits;
  const name = nameOf(request.agent);
  checkPlace(name, parent, request);
  if (parent.started >= fanout)
    throw new PegboardError(
      "fanout_limit",
      `Agent "${name}" was not started: agent "${parent.agent}" has started ${parent.started} of ${fanout} runs, which is all it may`,
    );
  if (!request.own && parent.asked.includes(requestKey(request)))
    throw new PegboardError(
      "loop",
      `Agent "${name}" was asked this very thing before in this run: use its first answer`,
    );
  parent.spending.checkSpawn();
  parent.lanes.throwIfFull();
}

/** Checks whether an agent may work below a run. Throws `denied`, `depth_limit` or `loop`. */
export function checkPlace(
  name: string,
  parent: AgentRun,
  { own, asked }: Pick<RunRequest, "own" | "asked"> = {},
): void {
  const { depth, sameAgentInChain } = parent.workbench.limits;
  const { chain } = parent;
  const path = [...chain, name].join(" > ");
  if (!own) checkListed(name, asked ?? name, parent);
  if (chain.length > depth)
    throw new PegboardError(
      "depth_limit",
      `Agent "${name}" would be ${chain.length} deep (${path}); the limit is ${depth}`,
    );
  const before = chain.filter((one) => one === name).length;
  if (before >= sameAgentInChain)
    throw new PegboardError(
      "loop",
      `Agent "${name}" would be in its own chain ${before + 1} times (${path}); the limit is ${sameAgentInChain}`,
    );
}

// What an agent above may not ask, one that it asks may not ask for it.
function checkListed(name: string, asked: string, parent: AgentRun): void {
  const bare = name.slice(name.indexOf("/") + 1);
  for (let one: AgentRun | undefined = parent; one; one = one.parent) {
    if (!one.agents) continue;
    const denials = one.agents.filter((entry) => entry.startsWith("!"));
    const denied = denials.length > 0 && [name, bare].some((each) => !isListed(denials, each));
    if (!denied && (isListed(one.agents, name) || isListed(one.agents, asked))) continue;
    throw new PegboardError(
      "denied",
      `Agent "${name}" is not among those that agent "${one.agent}" may ask (agents: [${one.agents.join(", ")}])`,
    );
  }
}
