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
};

/** The limits with the defaults filled in. Throws `invalid_config` for what is not a positive number. */
export function toLimits(given: Partial<Limits> = {}): Limits {
  const limits = { ...DEFAULTS, ...given };
  for (const [name, value] of Object.entries(limits)) {
    if (value === null && name === "maxTimeoutMs") continue;
    if (!(typeof value === "number" && value > 0))
      throw new PegboardError("invalid_config", `The limit "${name}" must be more than 0; it is ${value}`);
  }
  return limits;
}
