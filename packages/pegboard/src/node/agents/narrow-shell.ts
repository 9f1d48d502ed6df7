import type { Tool } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import type { Judge, Judgement } from "../../core/judge.ts";
import type { RunPlace } from "../../core/own-tools.ts";
import { withReason, isReasoned, type ReasonedApproval } from "../../core/reasoned-approval.ts";
import { compileShellPolicy, type ShellPolicy } from "../../tools/shell/decide.ts";
import { createShellJudge } from "../shell/judge.ts";

const STRICTNESS = { preApproved: 0, ask: 1, blocked: 2 };
const GONE: Judgement = { approval: "blocked", reason: "there are no commands any more", ruled: true, suggestions: [] };

/**
 * The tool `shell` of a run: a command must pass the agent's rules besides those that hold where it runs, and the strictest
 * word counts. Throws `invalid_config` for a pattern that is not plain words.
 */
export function narrowRunShell(policy: ShellPolicy, agent: string, place: RunPlace, root: string) {
  const own = createShellJudge(compileShellPolicy(policy), root);
  // Asked for anew each time: the rules of the workspace may change while the agent runs.
  const rules = () => place.find("shell")?.judge;
  const around = () => {
    const tool = place.find("shell")?.tool;
    if (rules() && tool && "execute" in tool) return tool;
    throw new PegboardError("denied", "There are no commands here: the workspace has no toolset shell");
  };
  const judge: Judge = {
    get outlook() {
      return own.outlook === "blocked" ? "blocked" : (rules()?.outlook ?? "blocked");
    },
    get unsafe() {
      return rules()?.unsafe ?? [];
    },
    judge: (input, caller) => rules()?.judge(input, caller) ?? GONE,
  };
  const tool: Tool = {
    ...around(),
    approval: withReason((input): ReasonedApproval => {
      const { approval, reason } = own.judge(input as never, { cwd: place.session.cwd });
      const inner = { approval, reason: `the rules of agent "${agent}": ${reason}`, firm: true };
      const outer = outerApproval(around(), input);
      return outer && STRICTNESS[outer.approval] > STRICTNESS[approval] ? outer : inner;
    }),
    execute: (input, context) => around().execute(input, context),
  };
  return { tools: [tool], options: { judge, source: { kind: "builtin", id: "shell" } } } as const;
}

/** What the rules of an agent around this one say. */
function outerApproval({ approval }: Tool, input: unknown): ReasonedApproval | undefined {
  const said: unknown = typeof approval === "function" ? approval(input) : undefined;
  return isReasoned(said) ? said : undefined;
}
