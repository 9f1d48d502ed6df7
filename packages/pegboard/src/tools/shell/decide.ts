import type { Approval } from "@pegboard/contract";
import { findBlocked } from "./blocked.ts";
import { coverageProblem, narrowestPrefix } from "./coverage.ts";
import { type Folder, UNKNOWN_FOLDER } from "./folder.ts";
import { enterAll, splitLead } from "./lead.ts";
import type { FoundCommand, ParsedShell } from "./syntax/command.ts";
import { parseShell } from "./syntax/parse.ts";
import { presentProblem } from "./present.ts";
import { isBuiltin } from "./program.ts";
import { type CompiledRule, compileRule, matchesExactly, matchesLoosely, type ShellRule } from "./rules.ts";

/** The operator's rules for commands. Without a default, what no rule concerns is blocked. */
export interface ShellPolicy {
  readonly default?: "ask" | "blocked";
  readonly rules?: readonly ShellRule[];
}

/** The same with patterns that are words; `compileShellPolicy` makes it once for many decisions. */
export interface CompiledShellPolicy {
  readonly default?: "ask" | "blocked" | undefined;
  readonly rules: readonly CompiledRule[];
}

/** What holds for one command of a text, and why. */
export interface CommandDecision {
  /** The words; a word that only a shell could work out is shown as "…". */
  readonly argv: readonly string[];
  readonly decision: Approval;
  readonly rule?: ShellRule;
  readonly why: string;
}

/** What holds for a text: as strict as the strictest part of it. */
export interface ShellDecision {
  readonly decision: Approval;
  readonly reason: string;
  /** The rule of the part that decided; absent when no rule concerns it. */
  readonly rule?: ShellRule;
  readonly commands: readonly CommandDecision[];
  /** The narrowest patterns that, once allowed, would allow all of it; none where no pattern would. */
  readonly suggestions: readonly string[];
}

/** Reads the patterns of a policy. Throws `invalid_config` for one that is not plain words. */
export function compileShellPolicy(policy: ShellPolicy): CompiledShellPolicy {
  return { default: policy.default, rules: (policy.rules ?? []).map(compileRule) };
}

/**
 * Decides about a command: any rule that blocks a part of it wins, else the first matching rule decides for each part. What
 * is not plain words joined by `&& || ; |` is never allowed by a rule; `cd` at the beginning needs none where it stays in the
 * workspace, and what follows is decided in the folder that it leads to. Never throws, and takes bounded time.
 */
export function decideCommand(
  text: string,
  policy: CompiledShellPolicy,
  start: Folder = UNKNOWN_FOLDER,
): ShellDecision {
  const unseen = presentProblem(text);
  if (unseen !== undefined)
    return { decision: "blocked", reason: `the command is refused: ${unseen}`, commands: [], suggestions: [] };
  const parsed = parseShell(text);
  const { folder, entered } = follow(parsed, start);
  const blocking = findBlocked(text, parsed, policy.rules, folder);
  if (blocking) {
    const reason =
      blocking.reason ?? `a part of the command is blocked by the pattern ${JSON.stringify(blocking.pattern)}`;
    return { decision: "blocked", reason, rule: blocking, commands: [], suggestions: [] };
  }
  const judged = parsed.commands.map((command, index) =>
    index < entered ? judgeEntering(command, policy) : judge(command, policy, folder),
  );
  const fallback = toDefault(policy);
  // A text in which no command was found may still hold some.
  const whole: Judged[] = parsed.complete && judged.length > 0 ? judged : [...judged, { argv: [], ...fallback }];
  const strictest =
    whole.find(({ decision }) => decision === "blocked") ?? whole.find(({ decision }) => decision === "ask");
  if (parsed.obstacle !== undefined && strictest?.decision !== "blocked") {
    return {
      decision: "ask",
      reason: parsed.obstacle,
      ...(strictest?.rule?.approval === "ask" && { rule: strictest.rule }),
      commands: judged,
      suggestions: [],
    };
  }
  const decisive = strictest ?? whole.find(({ rule }) => rule !== undefined) ?? whole[0]!;
  return {
    decision: decisive.decision,
    reason: decisive.why,
    ...(decisive.rule && { rule: decisive.rule }),
    commands: judged,
    suggestions: decisive.decision === "ask" ? suggest(judged, folder) : [],
  };
}

type Judged = CommandDecision;

/** The folder that a text leads to, and how many commands at its beginning do nothing else. */
function follow({ steps = [] }: ParsedShell, start: Folder): { folder: Folder; entered: number } {
  const { paths } = splitLead(steps);
  const folder = enterAll(start, paths);
  return folder ? { folder, entered: paths.length } : { folder: start, entered: 0 };
}

function judgeEntering({ words }: FoundCommand, policy: CompiledShellPolicy): Judged {
  const argv = words as readonly string[];
  const rule = policy.rules.find((one) => one.approval === "ask" && one.words.length > 0 && matchesLoosely(one, argv));
  if (rule) return { argv, decision: "ask", rule, why: saying(rule) };
  return { argv, decision: "preApproved", why: "it only goes to a folder of the workspace" };
}

function judge(command: FoundCommand, policy: CompiledShellPolicy, folder: Folder): Judged {
  const argv = command.words.map((word) => word ?? "…");
  let uncovered: Judged | undefined;
  for (const rule of policy.rules) {
    const allows = rule.approval === "preApproved";
    if (!(allows ? matchesExactly(rule, command.words) : matchesLoosely(rule, command.words))) continue;
    const problem = allows ? notCovered(command, rule, folder) : undefined;
    if (problem === undefined)
      return {
        argv,
        decision: rule.approval,
        rule,
        why: saying(rule),
      };
    // A rule that does not cover the command does not decide about it: a narrower one may follow.
    uncovered ??= {
      argv,
      decision: "ask",
      rule,
      why: `the pattern ${JSON.stringify(rule.pattern)} does not cover it: ${problem}`,
    };
  }
  return uncovered ?? { argv, ...toDefault(policy, argv[0]) };
}

function saying({ reason, pattern, approval }: ShellRule): string {
  return reason ?? `the pattern ${JSON.stringify(pattern)} says ${approval}`;
}

function notCovered(
  { words, obstacle }: FoundCommand,
  { words: spelled, unsafe }: CompiledRule,
  folder: Folder,
): string | undefined {
  if (obstacle !== undefined) return obstacle;
  const argv = words as readonly string[];
  if (isBuiltin(argv[0]!)) return `${argv[0]} is part of shells and no program`;
  return unsafe ? undefined : coverageProblem(argv, spelled.length, folder);
}

function toDefault({ default: fallback }: CompiledShellPolicy, program = "it"): { decision: Approval; why: string } {
  if (fallback === "ask") return { decision: "ask", why: `no pattern allows ${program}` };
  return {
    decision: "blocked",
    why:
      fallback === undefined
        ? `no pattern concerns ${program}, and there is no default`
        : `no pattern allows ${program}, and the default is blocked`,
  };
}

/** Patterns for those parts that nothing allows yet; none at all when a rule says to ask, or one part has no pattern. */
function suggest(judged: readonly Judged[], folder: Folder): readonly string[] {
  const patterns = new Set<string>();
  for (const { decision, rule, argv } of judged) {
    if (decision === "preApproved") continue;
    const prefix = rule?.approval === "ask" ? undefined : narrowestPrefix(argv, folder);
    if (!prefix || !prefix.every((word) => /^[\w@%+=:,./-]+$/.test(word))) return [];
    patterns.add(prefix.join(" "));
  }
  return [...patterns];
}
