import type { Requirements } from "@pegboard/contract";
import { isPart } from "../core/bare-name.ts";
import { matchesName } from "../core/name.ts";

/** How often the model is reminded when the agent does not say. */
export const DEFAULT_REMINDERS = 2;

/** What an agent must still do before its answer counts, in words; undefined when nothing is missing. */
export function missing(requirements: Requirements, done: ReadonlyMap<string, number>): string | undefined {
  const { toolUse, oneOf = [], all = [], minimumCalls = 0 } = requirements;
  const used = (entry: string) =>
    Array.from(done.keys()).some((name) => matchesName(entry, name) || isPart(entry, { name }));
  const calls = Array.from(done.values()).reduce((sum, count) => sum + count, 0);
  const absent = all.filter((name) => !used(name));
  const problems = [
    ...(toolUse && calls === 0 ? ["call at least one tool"] : []),
    ...(oneOf.length > 0 && !oneOf.some(used) ? [`call one of: ${oneOf.join(", ")}`] : []),
    ...(absent.length > 0 ? [`call: ${absent.join(", ")}`] : []),
    ...(calls < minimumCalls ? [`make at least ${minimumCalls} calls (so far ${calls} succeeded)`] : []),
  ];
  return problems.length === 0 ? undefined : problems.join("; ");
}
