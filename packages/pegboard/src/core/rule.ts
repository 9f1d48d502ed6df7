import type { Approval, Capability, Json } from "@pegboard/contract";
import { allows, denies, isPart } from "./bare-name.ts";
import { atPointer, canonicalJson } from "./json.ts";
import { agentIdentity, matchesName, SEPARATOR } from "./name.ts";
import { isOwnWord, type Registration } from "./registry.ts";
import type { Caller, CallingAgent } from "./caller.ts";

/**
 * One rule of a policy. It names what it concerns by `tool` (a name or a pattern with `*`), `toolset` (a source) or
 * `capability`, may be narrowed to an agent, a client, a mode or certain inputs, and says what then holds.
 */
export interface Rule {
  readonly tool?: string;
  readonly toolset?: string;
  readonly capability?: Capability;
  readonly agent?: string;
  readonly client?: string;
  readonly mode?: "interactive" | "headless";
  /** JSON pointer into the input → pattern in which `*` stands for any text. All must match. */
  readonly input?: Readonly<Record<string, string>>;
  readonly approval: Approval;
  /** Says that allowing without looking at the input is meant: needed for tools whose inputs have rules of their own. */
  readonly unsafe?: boolean;
  readonly reason?: string;
  /** Only while the definition of the tool has this digest. */
  readonly digest?: string;
  /** Examples, `tool {json}`, that this rule must and must not match. */
  readonly match?: readonly string[];
  readonly not_match?: readonly string[];
  readonly origin?: { readonly file: string; readonly line: number };
}

/** What of a registration says whether a rule concerns it. */
export type ConcernedTool = Pick<Registration, "name" | "source" | "tool">;

/** Whether a rule can concern this tool, whoever calls it with whatever input. */
export function matchesTool(rule: Rule, concerned: ConcernedTool): boolean {
  const { tool, source } = concerned;
  if (rule.tool !== undefined && !namesTool(rule.tool, rule.approval, concerned)) return false;
  if (rule.toolset !== undefined && !matchesName(rule.toolset, source.plugin ?? source.id)) return false;
  return rule.capability === undefined || (tool.capabilities?.includes(rule.capability) ?? false);
}

/** Whether a rule names a tool without its source, so that what it means depends on what else is on the board. */
export function dependsOnBoard({ tool }: Rule, concerned: ConcernedTool): boolean {
  return tool !== undefined && tool !== concerned.name && isPart(tool, concerned);
}

// Anybody's plugin can come with any name: what allows one is written with its source.
function namesTool(entry: string, approval: Approval, concerned: ConcernedTool): boolean {
  if (approval !== "preApproved") return denies(entry, concerned);
  return matchesName(entry, concerned.name) || (isOwnWord(concerned.source) && allows(entry, concerned));
}

/** The same for a tool that is not there, as far as its name tells; undefined when only the tool itself could. */
export function matchesByName({ tool, toolset = "*", capability }: Rule, name: string): boolean | undefined {
  const at = name.indexOf(SEPARATOR);
  if (tool !== undefined && !matchesName(tool, name)) return false;
  if (at > 0 && !matchesName(toolset, name.slice(0, at))) return false;
  return capability !== undefined || (at <= 0 && toolset !== "*") ? undefined : true;
}

/** Whether a rule holds for some callers only. */
export function dependsOnCaller({ agent, client, mode }: Rule): boolean {
  return agent !== undefined || client !== undefined || mode !== undefined;
}

/**
 * Whether a rule concerns this caller. One that does not allow holds for all agents that an agent asks, too, and for agents
 * of plugins by their bare name; one that allows needs `plugin/agent`.
 */
export function matchesCaller({ agent, client, mode, approval }: Rule, caller: Caller): boolean {
  if (agent !== undefined) {
    const names = caller.agent ? namesOf(caller.agent, approval) : [];
    if (!names.some((one) => matchesName(agent, one))) return false;
  }
  if (client !== undefined && !matchesName(client, caller.client)) return false;
  return mode === undefined || (mode === "interactive") === caller.interactive;
}

function namesOf(agent: CallingAgent, approval: Approval): readonly string[] {
  const identity = agentIdentity(agent.name, agent.plugin);
  if (approval === "preApproved") return [identity];
  return [identity, agent.name, ...agent.chain, ...(agent.within ? namesOf(agent.within, approval) : [])];
}

/** Whether a rule concerns this input. A list matches a rule that allows only if all of it does, else if any of it does. */
export function matchesInput({ input: patterns, approval }: Rule, input: Json): boolean {
  if (!patterns) return true;
  return Object.entries(patterns).every(([pointer, pattern]) => {
    const value = atPointer(input, pointer);
    if (value === undefined) return false;
    if (!Array.isArray(value)) return matchesName(pattern, toText(value));
    const matched = value.filter((item) => matchesName(pattern, toText(item))).length;
    return approval === "preApproved" ? matched > 0 && matched === value.length : matched > 0;
  });
}

/** How closely a rule names what it concerns: inputs, then a tool, a pattern or toolset, a capability, everything. */
export function specificity(rule: Rule): number {
  const subject = rule.tool === undefined || isPattern(rule.tool) ? subjectRank(rule) : 4;
  const narrowed = [rule.agent, rule.client, rule.mode, rule.digest].filter((part) => part !== undefined).length;
  return (rule.input ? 100 : 0) + subject * 10 + narrowed;
}

/** The rule in a line, for messages. */
export function describeRule(rule: Rule): string {
  const { approval, unsafe, input, origin: _, reason: __, match: ___, not_match: ____, digest, ...subject } = rule;
  const parts = Object.entries(subject).map(([key, value]) => `${key} "${value}"`);
  if (input)
    parts.push(
      `input ${Object.entries(input)
        .map(([pointer, pattern]) => `${pointer} "${pattern}"`)
        .join(", ")}`,
    );
  if (digest) parts.push("this definition");
  return `${parts.join(", ")} → ${approval}${unsafe ? ", unsafe" : ""}`;
}

/** How one example of a rule turned out. */
export interface CheckedExample {
  readonly example: string;
  /** Whether the rule is to match it. */
  readonly expected: boolean;
  /** Undefined when only the tool itself could tell, and it is not there. */
  readonly holds: boolean | undefined;
  /** Why it does not hold, or cannot be told. */
  readonly problem?: string;
}

/** Checks a rule against its own examples, with the tools that `find` knows and by the names of all others. */
export function checkExamples(
  rule: Rule,
  find: (name: string) => ConcernedTool | undefined = () => undefined,
): CheckedExample[] {
  const check = (example: string, expected: boolean): CheckedExample => {
    const quoted = `the example ${JSON.stringify(example)}`;
    const parsed = parseExample(example);
    if (!parsed)
      return { example, expected, holds: false, problem: `${quoted} is not a tool name followed by its input as JSON` };
    const tool = find(parsed.tool);
    const matched =
      matchesInput(rule, parsed.input) && (tool ? matchesTool(rule, tool) : matchesByName(rule, parsed.tool));
    if (matched === undefined)
      return {
        example,
        expected,
        holds: undefined,
        problem: `${quoted} cannot be checked: no tool "${parsed.tool}" is loaded`,
      };
    if (matched === expected) return { example, expected, holds: true };
    return {
      example,
      expected,
      holds: false,
      problem: `${quoted} ${expected ? "is not matched, but `match`" : "is matched, but `not_match`"} lists it`,
    };
  };
  return [
    ...(rule.match ?? []).map((one) => check(one, true)),
    ...(rule.not_match ?? []).map((one) => check(one, false)),
  ];
}

function parseExample(example: string): { tool: string; input: Json } | undefined {
  const at = example.indexOf(" ");
  const tool = at < 0 ? example : example.slice(0, at);
  try {
    return { tool, input: at < 0 ? {} : (JSON.parse(example.slice(at)) as Json) };
  } catch {
    return undefined;
  }
}

// "*" is everything, whether written as a tool or as a toolset.
function subjectRank({ tool, toolset, capability }: Rule): number {
  if ((tool !== undefined && tool !== "*") || (toolset !== undefined && toolset !== "*")) return 3;
  return capability === undefined ? 1 : 2;
}

function isPattern(text: string): boolean {
  return text.includes("*");
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : canonicalJson(value);
}
