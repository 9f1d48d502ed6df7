import { PegboardError } from "./error.ts";

/** What the operator allows. Times are milliseconds. */
export interface Limits {
  /** How deep calls may be nested: a tool that calls a tool is one deep. */
  readonly depth: number;
  /** How many calls of one session may run at once. */
  readonly calls: number;
  /** For tools that name none. */
  readonly timeoutMs: number;
  /** The most any tool gets, also one that asks for no limit; null is no limit. */
  readonly maxTimeoutMs: number | null;
  /** How long an approval request waits for its answer. */
  readonly approvalMs: number;
  /** How much text of a result a caller gets. */
  readonly resultCharacters: number;
  /** How much text of a longer result is kept, for reading on. */
  readonly keptCharacters: number;
  /** Up to which size a result is logged whole. */
  readonly loggedCharacters: number;
  /** How many runs of all sessions may be at work at once; one that waits for those it started is not. */
  readonly runs: number;
  /** The most turns of one run. */
  readonly turns: number;
  /** How many runs one run may start. */
  readonly fanout: number;
  /** How many of the runs that one run started may be at work at once. */
  readonly concurrency: number;
  /** How many more may wait for their turn; 0 refuses them at once. */
  readonly waiting: number;
  /** How often the same agent may be in a chain of runs that started each other. */
  readonly sameAgentInChain: number;
  /** Tokens that a run and all that it starts may use together. */
  readonly budgetTokens: number;
  /** US dollars, likewise. */
  readonly budgetUsd: number;
  /** Time, likewise. */
  readonly budgetMs: number;
  /** Runs that it starts, and those start, and so on. */
  readonly budgetSpawns: number;
  /** How much of a conversation a model is sent that does not say itself what it takes. */
  readonly contextTokens: number;
  /** How many tokens the definitions of an agent's tools may take before it has to search for them. */
  readonly toolTokens: number;
  /** How long a model may say nothing. */
  readonly modelSilenceMs: number;
  /** How many agents are kept warm; more at once are warm only while they work. */
  readonly poolSize: number;
  /** How long an agent that nobody asks is kept warm. */
  readonly poolIdleMs: number;
  /** How long a session stays open that a client has opened and nobody uses. */
  readonly sessionIdleMs: number;
  /** How long a hook may take, by its kind. */
  readonly gateHookMs: number;
  readonly chainHookMs: number;
  readonly answerHookMs: number;
  readonly validateHookMs: number;
  readonly observeHookMs: number;
}

const DEFAULTS: Limits = {
  depth: 5,
  calls: 1_000,
  timeoutMs: 120_000,
  maxTimeoutMs: null,
  approvalMs: 10 * 60_000,
  resultCharacters: 1024 * 1024,
  keptCharacters: 16 * 1024 * 1024,
  loggedCharacters: 32 * 1024,
  runs: 1_000,
  turns: 50,
  fanout: 8,
  concurrency: 3,
  waiting: 1_000,
  sameAgentInChain: 2,
  budgetTokens: 2_000_000,
  budgetUsd: 5,
  budgetMs: 60 * 60_000,
  budgetSpawns: 50,
  contextTokens: 128_000,
  toolTokens: 10_000,
  modelSilenceMs: 120_000,
  poolSize: 5,
  poolIdleMs: 10 * 60_000,
  sessionIdleMs: 60 * 60_000,
  gateHookMs: 10_000,
  chainHookMs: 10_000,
  answerHookMs: 10_000,
  // It may ask a model.
  validateHookMs: 5 * 60_000,
  observeHookMs: 5_000,
};

/** The limits with the defaults filled in. Throws `invalid_config` for what is not a positive number. */
export function toLimits(given: Partial<Limits> = {}): Limits {
  const limits = { ...DEFAULTS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if ((value === null && name === "maxTimeoutMs") || (value === 0 && name === "waiting")) continue;
    if (!(typeof value === "number" && value > 0))
      throw new PegboardError("invalid_config", `The limit "${name}" must be more than 0; it is ${value}`);
  }
  return limits;
}

/** The limits with at most so much text of a result. Those who ask for the same share them. */
export function lowerResultLimit(limits: Limits, resultCharacters = Infinity): Limits {
  if (resultCharacters >= limits.resultCharacters) return limits;
  const known = lowered.get(limits);
  if (known?.resultCharacters === resultCharacters) return known;
  const made = { ...limits, resultCharacters };
  lowered.set(limits, made);
  return made;
}

/** What was asked for last. */
const lowered = new WeakMap<Limits, Limits>();
