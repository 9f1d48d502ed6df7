import type { Agent } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import { agentIdentity } from "../core/name.ts";
import { nearest } from "../core/nearest.ts";
import type { AgentSource } from "./agent-source.ts";

/** The error of a name that several agents of equal rank have. */
export function ambiguous(
  name: string,
  candidates: readonly { readonly agent: Agent; readonly source: AgentSource }[],
): PegboardError {
  const places = candidates.map(({ source }) => describeSource(source)).join(" and ");
  const plugins = candidates.flatMap(({ agent, source: { plugin } }) =>
    plugin === undefined ? [] : [agentIdentity(agent.name, plugin)],
  );
  const isSame = new Set(plugins).size < plugins.length;
  const fix = plugins.length === 0 || isSame ? "Give one of them another name" : `Say which: ${plugins.join(" or ")}`;
  return new PegboardError("duplicate", `There are several agents named "${name}": ${places}. ${fix}`);
}

/** The error of a name that no agent has. */
export function unknownAgent(name: string, names: readonly string[]): PegboardError {
  const near = nearest(name, names);
  const some = names.slice(0, 20).join(", ") + (names.length > 20 ? `, and ${names.length - 20} more` : "");
  const hint = near ? ` Did you mean "${near}"?` : "";
  return new PegboardError(
    "not_found",
    `There is no agent named "${name.slice(0, 200)}".${hint} Available: ${some || "none"}`,
  );
}

/** The error of an agent that is not run because its workspace is not trusted. */
export function heldAgent(name: string, source: AgentSource): PegboardError {
  return new PegboardError(
    "untrusted",
    `Agent "${name}" (${describeSource(source)}) is not run, because its workspace is not trusted. Look at it and agree with: pegboard trust`,
  );
}

function describeSource({ layer, plugin, file }: AgentSource): string {
  const what = plugin === undefined ? layer : `${layer} "${plugin}"`;
  return file === undefined ? what : `${what} ${file}`;
}
