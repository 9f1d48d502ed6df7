import { candidates } from "../core/bare-name.ts";
import type { Registry } from "../core/registry.ts";
import { matchesTool, type Rule } from "../core/rule.ts";

/** What a person should know of the tool that a rule names, which is not there, or not clearly; undefined when all is well. */
export function ruleNameProblem(rule: Rule, board: Registry): string | undefined {
  const { tool } = rule;
  if (tool === undefined || tool.includes("*") || board.find(tool)) return undefined;
  return candidates(tool, board).length > 0 ? bareNameProblem(rule, board) : `no tool is named "${tool}"`;
}

/** The same of a name without its source alone. */
export function bareNameProblem({ tool, approval }: Rule, board: Registry): string | undefined {
  const meant = tool === undefined ? [] : candidates(tool, board).filter((name) => name !== tool);
  const names = meant.join(", ");
  if (approval !== "preApproved")
    return meant.length > 1 ? `"${tool}" stands for several tools, and it holds for all of them: ${names}` : undefined;
  const isMeant = meant.some((name) => matchesTool({ tool: tool!, approval }, board.find(name)!));
  return meant.length === 0 || isMeant ? undefined : `what allows a tool names it whole: ${names}`;
}
