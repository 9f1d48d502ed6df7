import type { Agent, Json } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import type { EventData } from "../core/event.ts";
import { canonicalJson, copyJson } from "../core/json.ts";
import type { Limits } from "../core/limits.ts";
import { nameProblem } from "../core/name.ts";
import type { Budget } from "../core/budget.ts";
import type { RunOptions } from "../core/run.ts";

/** What is asked of whom. */
export interface RunRequest {
  readonly agent: string | Agent;
  /** The name that it was asked for by: a list of agents may hold that one, too. */
  readonly asked?: string;
  readonly prompt: Json;
  readonly options?: RunOptions;
  /** A prompt of the asking agent itself: it calls in its name, and the same may be asked twice. */
  readonly own?: boolean;
  /** It judges a result: its answer is a verdict, whatever its agent answers else. */
  readonly judges?: boolean;
  /** A plugin asks for it: whom the run above may ask does not count. */
  readonly byPlugin?: boolean;
}

/** The name of the agent that is asked, also where it is none. */
export function nameOf(agent: unknown): string {
  const name: unknown = typeof agent === "string" ? agent : (Object(agent) as Partial<Agent>).name;
  return typeof name === "string" ? name : "unknown";
}

/** What two requests have in common that ask the same of the same agent. */
export function requestKey({ agent, prompt }: Pick<RunRequest, "agent" | "prompt">): string {
  return canonicalJson([nameOf(agent), prompt]);
}

/** What is wrong with a request, as the error of its run; undefined when nothing is. Callers may not know types. */
export function requestProblem({ agent, prompt, options }: RunRequest): PegboardError | undefined {
  const problem = agentProblem(agent) ?? promptProblem(prompt) ?? optionsProblem(options);
  return problem === undefined ? undefined : new PegboardError("invalid_input", `The run is refused: ${problem}`);
}

/** Throws `invalid_definition` for an agent that cannot be run. */
export function checkAgent({ name, instructions, maxTurns }: Agent): void {
  const called = nameProblem(name);
  const problem =
    (called && `its name ${called}`) ??
    (typeof instructions === "string" ? undefined : "its instructions must be a text") ??
    (maxTurns === undefined ? undefined : countProblem("its maxTurns", maxTurns));
  if (problem !== undefined)
    throw new PegboardError("invalid_definition", `Agent "${nameOf({ name })}" cannot be run: ${problem}`);
}

/** The most that a run may use: what it is given, within the limits that hold anyway. */
export function toBudget({ tokens, usd, timeMs, spawns }: Budget = {}, limits: Limits): Budget {
  return {
    tokens: Math.min(tokens ?? Infinity, limits.budgetTokens),
    usd: Math.min(usd ?? Infinity, limits.budgetUsd),
    timeMs: Math.min(timeMs ?? Infinity, limits.budgetMs),
    spawns: Math.min(spawns ?? Infinity, limits.budgetSpawns),
  };
}

/** What was asked for besides the prompt, as far as the log keeps it for a run that goes on; undefined when nothing was. */
export function toGiven(options: RunOptions): EventData["run-start"]["given"] {
  const { model, maxTurns, tools, hideDenied, budget } = options;
  const given = {
    ...(typeof model === "string" && { model }),
    ...(maxTurns !== undefined && { maxTurns }),
    ...(tools && { tools }),
    ...(hideDenied && { hideDenied: true as const }),
    ...(budget && { budget }),
  };
  return Object.keys(given).length > 0 ? given : undefined;
}

function agentProblem(agent: unknown): string | undefined {
  if (typeof agent === "string" || (typeof agent === "object" && agent !== null)) return undefined;
  return `the agent must be a name or an agent; it is ${show(agent)}`;
}

function promptProblem(prompt: unknown): string | undefined {
  try {
    copyJson(prompt);
    return undefined;
  } catch {
    return `the prompt must be a text or JSON; it is ${show(prompt)}`;
  }
}

function optionsProblem(options: unknown = {}): string | undefined {
  if (typeof options !== "object" || options === null) return `options must be an object; it is ${show(options)}`;
  const { budget, maxTurns, tools, signal, attachments, model, ...others } = options as Partial<
    Record<string, unknown>
  >;
  const before = others["continue"];
  if (before !== undefined && typeof before !== "string")
    return `continue must be the id of a run; it is ${show(before)}`;
  if (model !== undefined && typeof model !== "string" && !("stream" in Object(model)))
    return `model must be a name or a model; it is ${show(model)}`;
  if (signal !== undefined && !(signal instanceof AbortSignal))
    return `signal must be an AbortSignal; it is ${show(signal)}`;
  if (attachments !== undefined && !(Array.isArray(attachments) && attachments.every(isAttachment)))
    return "attachments must be a list of { name, data } and { path }, all of them texts";
  if (tools !== undefined && !(Array.isArray(tools) && tools.every((tool) => typeof tool === "string")))
    return "tools must be a list of names";
  return (maxTurns === undefined ? undefined : countProblem("maxTurns", maxTurns)) ?? budgetProblem(budget);
}

function budgetProblem(budget: unknown = {}): string | undefined {
  if (typeof budget !== "object" || budget === null) return `budget must be an object; it is ${show(budget)}`;
  for (const [name, value] of Object.entries(budget)) {
    if (value === undefined || (typeof value === "number" && value >= 0 && value < Infinity)) continue;
    return `budget.${name} must be a number of 0 or more; it is ${show(value)}`;
  }
  return undefined;
}

function isAttachment(value: unknown): boolean {
  const { path, name, data } = Object(value) as Partial<Record<string, unknown>>;
  return typeof path === "string" || (typeof name === "string" && typeof data === "string");
}

function countProblem(what: string, value: unknown): string | undefined {
  if (Number.isSafeInteger(value) && (value as number) > 0) return undefined;
  return `${what} must be a whole number of 1 or more; it is ${show(value)}`;
}

function show(value: unknown): string {
  return typeof value === "string"
    ? JSON.stringify(value.slice(0, 80))
    : typeof value === "object"
      ? value
        ? "an object"
        : "null"
      : String(value);
}
