import { candidates } from "./bare-name.ts";
import type { Registry } from "./registry.ts";
import { matchesTool, type Rule } from "./rule.ts";

/** What a person should know of a rule that names a tool without its source; undefined when it is clear. */
export function bareRuleProblem({ tool, approval }: Rule, board: Registry): string | undefined {
  const meant = tool === undefined ? [] : candidates(tool, board).filter((name) => name !== tool);
  const names = meant.join(", ");
  if (approval !== "preApproved")
    return meant.length > 1 ? `"${tool}" stands for several tools, and it holds for all of them: ${names}` : undefined;
  const isMeant = meant.some((name) => matchesTool({ tool: tool!, approval }, board.find(name)!));
  return meant.length === 0 || isMeant ? undefined : `what allows a tool names it whole: ${names}`;
}
