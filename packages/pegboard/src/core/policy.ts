import type { Approval, Capability, Json } from "@pegboard/contract";
import { PegboardError } from "./error.ts";
import type { Judgement } from "./judge.ts";
import { boardOf, definitionDigest, isOwnWord, type Registration, type Registry } from "./registry.ts";
import {
  describeRule,
  dependsOnBoard,
  dependsOnCaller,
  matchesByName,
  matchesCaller,
  matchesInput,
  matchesTool,
  type Rule,
  specificity,
} from "./rule.ts";
import type { Caller } from "./caller.ts";
import { isReasoned } from "./reasoned-approval.ts";

/** The operator's policy. Without any rule, what reads or keeps its own state runs and everything else asks. */
export interface PolicyOptions {
  /** For what no rule and no capability default decides. */
  readonly default?: "ask" | "blocked";
  readonly rules?: readonly Rule[];
}

/** One opinion about a call, and where it comes from. */
export interface Vote {
  readonly by: "rule" | "tool" | "capability" | "hook" | "scope" | "default";
  readonly approval: Approval;
  readonly rule?: string;
  readonly file?: string;
  readonly line?: number;
  readonly reason?: string;
  /** An `ask` that no rule lowers. */
  readonly firm?: boolean;
  /** Patterns that would allow it from now on, where that is narrower than the tool as a whole. */
  readonly suggestions?: readonly string[];
}

/** What was decided, the vote that decided, and all votes. */
export interface Decision extends Omit<Vote, "approval"> {
  readonly decision: Approval;
  readonly votes: readonly Vote[];
  readonly reason: string;
}

/** Decides calls. The rules can be replaced at run time. */
export class Policy {
  #rules: readonly Rule[] = [];
  #default: Vote = DEFAULT_VOTE.ask;
  #version = 0;
  #prepared = new WeakMap<Registration, Prepared>();

  constructor(options: PolicyOptions = {}) {
    this.replace(options);
  }

  /** Grows whenever the rules are replaced. */
  get version(): number {
    return this.#version;
  }

  get rules(): readonly Rule[] {
    return this.#rules;
  }

  replace({ default: fallback = "ask", rules = [] }: PolicyOptions): void {
    this.#rules = rules;
    this.#default = DEFAULT_VOTE[fallback];
    this.#prepared = new WeakMap();
    this.#version++;
  }

  /** The decision that blocks a tool whatever its input, or undefined. */
  blocksWholly(registration: Registration, caller: Caller): Decision | undefined {
    return this.#stand(registration, caller).blocked;
  }

  /** What a call without any particular input could expect: what lists show. */
  outlook(registration: Registration, caller: Caller): Approval {
    const standing = this.#stand(registration, caller);
    return (standing.outlook ??= this.#look(registration, standing));
  }

  #look(registration: Registration, { rules }: Standing): Approval {
    const prepared = this.#prepare(registration);
    const ruled = rules.filter(({ rule }) => !rule.input && !rule.digest);
    const own = typeof registration.tool.approval === "function" ? UNSURE : prepared.own;
    if (registration.judge) ruled.push(BY_INPUT);
    return this.#weigh(registration, prepared, ruled, own, []).decision;
  }

  /**
   * Decides one call: any `blocked` wins; else a firm `ask` of a tool of ours; else the operator's most specific rule; else
   * the strictest of what the tool itself, the hooks, and the default for its capabilities say. Never throws: a voter that
   * fails votes to ask.
   */
  decide(
    registration: Registration,
    caller: Caller,
    input: Json,
    hooks: readonly Vote[] = [],
  ): Decision | Promise<Decision> {
    const { rules, byInput, otherwise } = this.#stand(registration, caller);
    if (otherwise && hooks.length === 0 && !byInput.some(({ rule }) => matchesInput(rule, input))) return otherwise;
    const prepared = this.#prepare(registration);
    const matching = rules.filter(({ rule }) => matchesInput(rule, input));
    const ruled = registration.judge ? withJudgement(matching, registration.judge.judge(input, caller)) : matching;
    if (typeof registration.tool.approval !== "function" && !ruled.some(({ rule }) => rule.digest)) {
      return this.#weigh(registration, prepared, ruled, prepared.own, hooks);
    }
    return this.#decideSlowly(registration, prepared, ruled, input, hooks);
  }

  /** What holds for a tool that is not on the board: the rules that its name alone brings in, else the default. */
  decideUnknown(name: string, caller: Caller, input: Json): Decision {
    const ruled = this.#rules.filter(
      (rule) => !rule.digest && matchesByName(rule, name) && matchesCaller(rule, caller) && matchesInput(rule, input),
    );
    const votes = ruled.length > 0 ? ruled.toSorted(bySpecificity).map(toVote) : [this.#default];
    const decision = conclude(votes.find(({ approval }) => approval === "blocked") ?? votes[0]!, votes);
    return { ...decision, reason: `no tool named "${name}" is registered; ${decision.reason}` };
  }

  async #decideSlowly(
    registration: Registration,
    prepared: Prepared,
    ruled: readonly PreparedRule[],
    input: Json,
    hooks: readonly Vote[],
  ): Promise<Decision> {
    const own = typeof registration.tool.approval === "function" ? await askTool(registration, input) : prepared.own;
    const digest = ruled.some(({ rule }) => rule.digest) ? await definitionDigest(registration) : undefined;
    const valid = ruled.filter(({ rule }) => rule.digest === undefined || rule.digest === digest);
    return this.#weigh(registration, prepared, valid, own, hooks);
  }

  #weigh(
    { source }: Registration,
    { base }: Prepared,
    ruled: readonly PreparedRule[],
    own: Vote | undefined,
    hooks: readonly Vote[],
  ): Decision {
    // A tool of ours that calls itself harmless is believed; anybody else's word only raises.
    const lowers = own?.approval === "preApproved" && isOwnWord(source) && base.approval !== "blocked";
    // The default is for what no rule decides.
    const settled = lowers || (base.by === "default" && ruled.length > 0);
    const others = [...(own ? [own] : []), ...hooks, ...(settled ? [] : [base])];
    const votes = [...ruled.map(({ vote }) => vote), ...others];
    const blocking = votes.find(({ approval }) => approval === "blocked");
    if (blocking) return conclude(blocking, votes);
    const strictest = others.find(({ approval }) => approval === "ask") ?? others[0]!;
    const firm = own?.firm && own.approval === "ask" ? own : undefined;
    return conclude(firm ?? ruled[0]?.vote ?? strictest, votes);
  }

  #prepare(registration: Registration): Prepared {
    let prepared = this.#prepared.get(registration);
    if (!prepared || prepared.board?.version !== prepared.seen) {
      const { approval } = registration.tool;
      const board = this.#rules.some((rule) => dependsOnBoard(rule, registration)) ? boardOf(registration) : undefined;
      const concerning = this.#rules.filter((rule) => matchesTool(rule, registration));
      const rules = (registration.judge ? concerning.flatMap(besideJudge) : concerning).toSorted(bySpecificity);
      prepared = {
        rules: rules.map((rule) => ({ rule, vote: toVote(rule) })),
        base: capabilityVote(registration) ?? this.#default,
        ...(typeof approval === "string" && { own: toolVote(approval) }),
        byCaller: rules.some(dependsOnCaller),
        board,
        seen: board?.version,
        standings: new WeakMap(),
      };
      this.#prepared.set(registration, prepared);
    }
    return prepared;
  }

  #stand(registration: Registration, caller: Caller): Standing {
    const prepared = this.#prepare(registration);
    // Where no rule looks at the caller all share one: there may be thousands of runs, each a caller of its own.
    const key = prepared.byCaller ? caller : EVERYBODY;
    let standing = prepared.standings.get(key);
    if (!standing) {
      const rules = prepared.rules.filter(({ rule }) => matchesCaller(rule, caller));
      const [byInput, others] = [rules.filter(({ rule }) => rule.input), rules.filter(({ rule }) => !rule.input)];
      const { tool, judge } = registration;
      const byMore = judge || typeof tool.approval === "function" || others.some(({ rule }) => rule.digest);
      standing = {
        rules,
        byInput,
        blocked: blockedWholly(registration, prepared, rules),
        otherwise: byMore ? undefined : Object.freeze(this.#weigh(registration, prepared, others, prepared.own, [])),
      };
      prepared.standings.set(key, standing);
    }
    return standing;
  }
}

/** What about a decision does not depend on caller and input: the rules that can concern a tool, the closest first. */
interface Prepared {
  readonly rules: readonly PreparedRule[];
  readonly base: Vote;
  readonly own?: Vote;
  /** Whether any of the rules holds for some callers only. */
  readonly byCaller: boolean;
  /** The board whose other tools say what a rule means, and its version then. */
  readonly board: Registry | undefined;
  readonly seen: number | undefined;
  readonly standings: WeakMap<object, Standing>;
}

const EVERYBODY = {};

/** What about a decision does not depend on the input. */
interface Standing {
  /** The rules that concern this caller, and those of them that look at the input. */
  readonly rules: readonly PreparedRule[];
  readonly byInput: readonly PreparedRule[];
  readonly blocked: Decision | undefined;
  /** What holds where none of the latter matches and no hook votes; undefined where more than rules decides. */
  readonly otherwise: Decision | undefined;
  /** What lists show, once they have asked. */
  outlook?: Approval;
}

interface PreparedRule {
  readonly rule: Rule;
  readonly vote: Vote;
}

function blockedWholly(
  { judge }: Registration,
  { own, base }: Prepared,
  rules: readonly PreparedRule[],
): Decision | undefined {
  if (judge?.outlook === "blocked") return conclude(NO_INPUT, [NO_INPUT]);
  const blocking = rules.find(({ rule }) => rule.approval === "blocked" && !rule.input && !rule.digest)?.vote;
  const vote = blocking ?? [own, ...(rules.length === 0 ? [base] : [])].find((other) => other?.approval === "blocked");
  return vote && conclude(vote, [vote]);
}

/** What counts of a rule beside a judge: neither a comparison of texts nor a word in passing allows what it judges. */
function besideJudge(rule: Rule): Rule[] {
  if (rule.approval !== "preApproved") return [rule];
  if (rule.input) return [{ ...rule, approval: "ask", reason: "comparing texts is not enough to allow this input" }];
  return rule.unsafe ? [rule] : [];
}

/** The rules with the judgement among them, as a rule that names the input, or as a default that anything can replace. */
function withJudgement(rules: readonly PreparedRule[], { ruled, ...judgement }: Judgement): PreparedRule[] {
  const { approval } = judgement;
  const rule: Rule = ruled ? { tool: "this", input: {}, approval } : { toolset: "this", approval };
  const vote: Vote = { by: judgement.rule === undefined ? "default" : "rule", ...judgement };
  return [...rules, { rule, vote }].sort((a, b) => bySpecificity(a.rule, b.rule));
}

/** The error of a call that policy blocks: it names the rule and where it stands. */
export function blockedError(name: string, { rule, file, line, reason }: Decision): PegboardError {
  const where = file ? ` (${file}${line ? `:${line}` : ""})` : "";
  return new PegboardError(
    "blocked",
    `Tool "${name}" is blocked${rule ? ` by the rule ${rule}${where}` : ""}: ${reason}`,
    {
      details: {
        ...(rule !== undefined && { rule }),
        ...(file !== undefined && { file }),
        ...(line !== undefined && { line }),
      },
    },
  );
}

const DEFAULT_VOTE = {
  ask: { by: "default", approval: "ask", reason: "no rule decides and its effects are unknown" },
  blocked: { by: "default", approval: "blocked", reason: "no rule allows it, and the policy's default is blocked" },
} as const satisfies Record<string, Vote>;

const NO_INPUT: Vote = { by: "default", approval: "blocked", reason: "its rules allow no input at all" };

const BY_INPUT: PreparedRule = {
  rule: { toolset: "this", approval: "ask" },
  vote: { by: "default", approval: "ask", reason: "its rules decide by its input" },
};

const UNSURE: Vote = { by: "tool", approval: "ask", reason: "the tool itself decides by its input" };

const HARMLESS: readonly Capability[] = ["read", "state"];

/** Whether a tool of ours says that it only reads, or keeps state of Pegboard's own. */
export function isHarmless({ tool, source }: Registration): boolean {
  const { capabilities = [] } = tool;
  return (
    isOwnWord(source) && capabilities.length > 0 && capabilities.every((capability) => HARMLESS.includes(capability))
  );
}

/**
 * Whether a run may make a call again that was cut off: the tool only reads, or it is one of ours that runs agents, whose
 * runs go on where they were.
 */
export function mayRunAgain(registration: Registration): boolean {
  const { tool, source } = registration;
  const isOurs = source.kind === "builtin" || source.kind === "prompt";
  return isHarmless(registration) || (isOurs && tool.capabilities?.includes("agent") === true);
}

function capabilityVote({ tool, source }: Registration): Vote | undefined {
  const { capabilities } = tool;
  if (!capabilities || capabilities.length === 0) return undefined;
  const risky = capabilities.filter((capability) => !HARMLESS.includes(capability));
  if (risky.length > 0) return { by: "capability", approval: "ask", reason: `it can: ${risky.join(", ")}` };
  if (!isOwnWord(source))
    return { by: "capability", approval: "ask", reason: `only its ${source.kind} says that it merely reads` };
  return { by: "capability", approval: "preApproved", reason: `it only can: ${capabilities.join(", ")}` };
}

function toolVote(approval: Approval): Vote {
  return { by: "tool", approval, reason: `the tool itself says ${approval}` };
}

async function askTool({ tool, source }: Registration, input: Json): Promise<Vote | undefined> {
  try {
    const said: unknown = await (tool.approval as (input: unknown) => unknown)(structuredClone(input));
    if (said === true || said === "ask") return toolVote("ask");
    if (said === "blocked") return toolVote("blocked");
    if (said === false || said === "preApproved") return isOwnWord(source) ? toolVote("preApproved") : undefined;
    if (isOwnWord(source) && isReasoned(said))
      return { by: "tool", approval: said.approval, reason: said.reason, ...(said.firm && { firm: true }) };
    return { by: "tool", approval: "ask", reason: "the tool's own approval check gave no clear answer" };
  } catch {
    return { by: "tool", approval: "ask", reason: "the tool's own approval check failed" };
  }
}

function toVote(rule: Rule): Vote {
  const { approval, reason, origin } = rule;
  return { by: "rule", approval, rule: describeRule(rule), ...(reason !== undefined && { reason }), ...origin };
}

const STRICTNESS: Record<Approval, number> = { preApproved: 0, ask: 1, blocked: 2 };

function bySpecificity(a: Rule, b: Rule): number {
  return specificity(b) - specificity(a) || STRICTNESS[b.approval] - STRICTNESS[a.approval];
}

function conclude({ approval, ...vote }: Vote, votes: readonly Vote[]): Decision {
  return {
    ...vote,
    decision: approval,
    votes,
    reason: vote.reason ?? (vote.rule ? `the rule ${vote.rule} says so` : ""),
  };
}
