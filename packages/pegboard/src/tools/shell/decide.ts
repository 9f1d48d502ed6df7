import type { Approval } from "@pegboard/contract";
import { findBlocked } from "./blocked.ts";
import { coverageProblem, narrowestPrefix } from "./coverage.ts";
import type { FoundCommand } from "./syntax/command.ts";
import { parseShell } from "./syntax/parse.ts";
import { presentProblem } from "./present.ts";
import type { Locate } from "./profile.ts";
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
 * is not plain words joined by `&& || ; |` is never allowed by a rule. Never throws, and takes bounded time.
 */
export function decideCommand(text: string, policy: CompiledShellPolicy, locate: Locate = byText): ShellDecision {
  const unseen = presentProblem(text);
  if (unseen !== undefined)
    return { decision: "blocked", reason: `the command is refused: ${unseen}`, commands: [], suggestions: [] };
  const parsed = parseShell(text);
  const blocking = findBlocked(text, parsed, policy.rules, locate);
  if (blocking) {
    const reason =
      blocking.reason ?? `a part of the command is blocked by the pattern ${JSON.stringify(blocking.pattern)}`;
    return { decision: "blocked", reason, rule: blocking, commands: [], suggestions: [] };
  }
  const judged = parsed.commands.map((command) => judge(command, policy, locate));
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
  const decisive = strictest ?? whole[0]!;
  return {
    decision: decisive.decision,
    reason: decisive.why,
    ...(decisive.rule && { rule: decisive.rule }),
    commands: judged,
    suggestions: decisive.decision === "ask" ? suggest(judged, locate) : [],
  };
}

type Judged = CommandDecision;

function judge(command: FoundCommand, policy: CompiledShellPolicy, locate: Locate): Judged {
  const argv = command.words.map((word) => word ?? "…");
  let uncovered: Judged | undefined;
  for (const rule of policy.rules) {
    const allows = rule.approval === "preApproved";
    if (!(allows ? matchesExactly(rule, command.words) : matchesLoosely(rule, command.words))) continue;
    const problem = allows ? notCovered(command, rule, locate) : undefined;
    if (problem === undefined)
      return {
        argv,
        decision: rule.approval,
        rule,
        why: rule.reason ?? `the pattern ${JSON.stringify(rule.pattern)} says ${rule.approval}`,
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

function notCovered(
  { words, obstacle }: FoundCommand,
  { words: spelled, unsafe }: CompiledRule,
  locate: Locate,
): string | undefined {
  if (obstacle !== undefined) return obstacle;
  const argv = words as readonly string[];
  if (isBuiltin(argv[0]!)) return `${argv[0]} is part of shells and no program`;
  return unsafe ? undefined : coverageProblem(argv, spelled.length, locate);
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
function suggest(judged: readonly Judged[], locate: Locate): readonly string[] {
  const patterns = new Set<string>();
  for (const { decision, rule, argv } of judged) {
    if (decision === "preApproved") continue;
    const prefix = rule?.approval === "ask" ? undefined : narrowestPrefix(argv, locate);
    if (!prefix || !prefix.every((word) => /^[\w@%+=:,./-]+$/.test(word))) return [];
    patterns.add(prefix.join(" "));
  }
  return [...patterns];
}

/** Where a path leads, as far as its text tells: for places without files, and for whoever brings no better way. */
function byText(path: string): "file" | "outside" {
  return path.startsWith("/") || path.split("/").includes("..") || /^[A-Za-z]:|\\/.test(path) ? "outside" : "file";
}
