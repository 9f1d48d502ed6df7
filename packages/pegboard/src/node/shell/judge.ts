import { resolve } from "node:path";
import type { Json } from "@pegboard/contract";
import type { Judge, Judgement } from "../../core/judge.ts";
import { type CompiledShellPolicy, decideCommand } from "../../tools/shell/decide.ts";
import type { ShellRule } from "../../tools/shell/rules.ts";
import { createFolder } from "./folder.ts";
import { isBelow } from "./locate.ts";

/** Judges commands by the operator's rules, in the folder in which they would run. */
export function createShellJudge(policy: CompiledShellPolicy, root: string): Judge {
  const allowing = policy.default === "ask" || policy.rules.some(({ approval }) => approval !== "blocked");
  return {
    outlook: allowing ? "ask" : "blocked",
    unsafe: policy.rules.filter(({ approval, unsafe }) => approval === "preApproved" && unsafe).map(toPlace),
    judge(input, { cwd: session = root }) {
      const { command, cwd } = Object(input) as { command?: Json; cwd?: Json };
      if (typeof command !== "string" || (cwd !== undefined && typeof cwd !== "string"))
        return { approval: "blocked", reason: "there is no command", ruled: false, suggestions: [] };
      const folder = folderOf(root, session, cwd);
      const { decision, reason, rule, suggestions } = decideCommand(command, policy, createFolder(root, folder));
      if (decision !== "blocked" && !isBelow(folder, root))
        return {
          approval: "ask",
          reason: `it would run outside of the workspace, in ${folder}`,
          ruled: false,
          suggestions: [],
        };
      return {
        approval: decision,
        reason,
        ...(rule && toPlace(rule)),
        ruled: rule?.approval === decision,
        suggestions,
      };
    },
  };
}

/** The folder that a command runs in: from that of the session, or from `root` when the session is somewhere else. */
export function folderOf(root: string, session: string, cwd = "."): string {
  return resolve(isBelow(resolve(session), root) ? session : root, cwd);
}

function toPlace({ pattern, approval, unsafe, origin }: ShellRule): Pick<Judgement, "rule" | "file" | "line"> {
  return { rule: `shell ${JSON.stringify(pattern)} → ${approval}${unsafe ? ", unsafe" : ""}`, ...origin };
}
