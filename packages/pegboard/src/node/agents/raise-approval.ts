import type { Approval, Tool } from "@pegboard/contract";
import { isReasoned } from "../../core/reasoned-approval.ts";

/** The tool, asking at least as strictly as the word says. A word that would ask less changes nothing. */
export function raiseApproval(tool: Tool, word: Approval | undefined): Tool {
  const { approval } = tool;
  if (word === undefined || word === "preApproved" || approval === "blocked") return tool;
  if (word === "blocked" || typeof approval !== "function") return { ...tool, approval: word };
  return {
    ...tool,
    async approval(input) {
      const said: unknown = await approval(input);
      return isBlocked(said) ? (said as Approval) : "ask";
    },
  };
}

function isBlocked(said: unknown): boolean {
  return said === "blocked" || (isReasoned(said) && said.approval === "blocked");
}
