import type { Json } from "@pegboard/contract";
import { PegboardError } from "./error.ts";
import { canonicalJson } from "./json.ts";

/** What an approver is shown. `input` is the final input; `chain` are the agents from the root to the caller. */
export interface ApprovalRequest {
  readonly id: string;
  readonly tool: string;
  readonly description: string;
  readonly input: Json;
  readonly summary: string;
  readonly reason: string;
  readonly chain: readonly string[];
  readonly options: readonly Remember[];
  readonly expiresAt: number;
  /** What an answer from now on would cover; absent is the tool as a whole. */
  readonly suggestions?: readonly string[];
  /** What an answer for the scope would cover: a folder, or patterns of commands; absent where it is not offered. */
  readonly scope?: readonly string[];
  /** Of the tool's definition: what is remembered holds only while it stays the same. */
  readonly digest: string;
}

/** For what an answer holds: this call; in this session the same input, what the scope names, or the tool; from now on. */
export const REMEMBER = ["once", "input", "scope", "tool", "rule"] as const;
export type Remember = (typeof REMEMBER)[number];

export interface ApprovalAnswer {
  readonly decision: "allow" | "deny";
  readonly remember?: Remember;
  readonly note?: string;
}

/** Whoever answers an `ask`. A throw is a refusal. The signal fires when the answer no longer matters. */
export type Approver = (
  request: ApprovalRequest,
  options: { readonly signal: AbortSignal },
) => ApprovalAnswer | Promise<ApprovalAnswer>;

/**
 * What happens when a call asks: `ask` the approver, approve `all` (never what is blocked), approve `none`, or `wait`
 * until `session.answer` is called.
 */
export type ApproveMode = "ask" | "all" | "none" | "wait";

/** How an approval request ended, and through whom. */
export interface ApprovalOutcome {
  readonly decision: "allow" | "deny" | "expired" | "cancelled";
  readonly by: string;
  readonly remember?: Remember;
  readonly note?: string;
}

/** Looks for an answer that another process gave, until the signal fires. Never rejects. */
export type Elsewhere = (signal: AbortSignal) => Promise<ApprovalOutcome | undefined>;

/** What of a call earlier answers are compared with. */
export interface RecalledCall extends Pick<ApprovalRequest, "tool" | "digest" | "input"> {
  readonly scopes: readonly (readonly string[])[];
}

type RememberedRequest = Pick<ApprovalRequest, "tool" | "digest" | "input" | "suggestions" | "scope">;

/** An approval request that waits. */
interface Pending {
  readonly request: ApprovalRequest;
  readonly settle: (outcome: ApprovalOutcome) => void;
}

/** The answers of one session: those that are remembered and those that are awaited. */
export class Approvals {
  readonly #restore: ((approvals: Approvals) => Promise<void>) | undefined;
  #restoring: Promise<void> | undefined;
  #remembered: Set<string> | undefined;
  #pending: Map<string, Pending> | undefined;

  /** `restore` remembers what was remembered before this process took the session up. */
  constructor(restore?: (approvals: Approvals) => Promise<void>) {
    this.#restore = restore;
  }

  /** Resolves when it is known what was remembered earlier. */
  restore(): Promise<void> {
    return (this.#restoring ??= this.#restore?.(this) ?? Promise.resolve());
  }

  /** The requests that wait for an answer now. */
  get pending(): ApprovalRequest[] {
    return Array.from(this.#pending?.values() ?? [], ({ request }) => request);
  }

  /**
   * Whether an earlier answer covers this call, and which kind of answer it was; `scopes` are `scopesOf` the input. A firm ask
   * needs one to this input.
   */
  recall(
    { tool, digest, input, scopes }: RecalledCall,
    firm = false,
  ): Extract<Remember, "input" | "scope" | "tool"> | undefined {
    const remembered = this.#remembered;
    if (!remembered) return undefined;
    if (!firm && remembered.has(toolKey(tool, digest))) return "tool";
    const isCovered = (names: readonly string[]) => names.some((name) => remembered.has(scopeKey(tool, digest, name)));
    if (!firm && scopes.length > 0 && scopes.every(isCovered)) return "scope";
    return remembered.has(inputKey(tool, digest, input)) ? "input" : undefined;
  }

  /** Forgets all remembered answers. */
  forget(): void {
    this.#remembered = undefined;
    // What is being restored, or would be, is forgotten too.
    const forgotten = this.#restoring?.then(() => void (this.#remembered = undefined));
    this.#restoring = forgotten ?? Promise.resolve();
  }

  /** Remembers what the answers to these requests said. */
  remember(
    { tool, digest, input, suggestions, scope = [] }: RememberedRequest,
    { decision, remember }: ApprovalOutcome,
  ): void {
    if (decision !== "allow") return;
    if (remember === "scope")
      for (const name of scope) (this.#remembered ??= new Set()).add(scopeKey(tool, digest, name));
    // A rule that is narrower than the tool says itself what else it covers.
    if (remember === "input" || (remember === "rule" && suggestions))
      (this.#remembered ??= new Set()).add(inputKey(tool, digest, input));
    else if (remember === "tool" || remember === "rule") (this.#remembered ??= new Set()).add(toolKey(tool, digest));
  }

  /**
   * Waits for the first answer: the approver's, one through `answer`, one that `elsewhere` finds, the end of so many
   * milliseconds or a cancel. Never rejects.
   */
  async ask(
    request: ApprovalRequest,
    waitMs: number,
    signal: AbortSignal,
    approver?: Approver,
    elsewhere?: Elsewhere,
  ): Promise<ApprovalOutcome> {
    const over = new AbortController();
    const outcome = await new Promise<ApprovalOutcome>((settle) => {
      (this.#pending ??= new Map()).set(request.id, { request, settle });
      if (signal.aborted) return settle({ decision: "cancelled", by: "caller" });
      signal.addEventListener("abort", () => settle({ decision: "cancelled", by: "caller" }), { signal: over.signal });
      // Not until `expiresAt`: a clock that jumps must neither end the wait nor draw it out.
      const expiry = setTimeout(() => settle({ decision: "expired", by: "time" }), Math.min(MAX_TIMER, waitMs));
      over.signal.addEventListener("abort", () => clearTimeout(expiry));
      if (approver) void consult(approver, request, over.signal).then(settle);
      if (elsewhere) void elsewhere(over.signal).then((outcome) => outcome && settle(outcome));
    });
    this.#pending?.delete(request.id);
    over.abort();
    return outcome;
  }

  /** Answers a pending request. Throws `not_found` for an id that does not wait, `invalid_input` for a wrong answer. */
  answer(id: string, answer: ApprovalAnswer): void {
    const pending = this.#pending?.get(id);
    if (!pending) throw new PegboardError("not_found", `No approval request "${id}" is waiting for an answer`);
    const problem = answerProblem(answer, pending.request);
    if (problem)
      throw new PegboardError("invalid_input", `The answer to approval request "${id}" is refused: ${problem}`);
    // At once: a second answer must hear that it does not count.
    this.#pending?.delete(id);
    pending.settle({ ...answer, by: "answer" });
  }
}

// A longer delay would fire at once.
const MAX_TIMER = 2 ** 31 - 1;

async function consult(approver: Approver, request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalOutcome> {
  try {
    const answer = await approver(request, { signal });
    const problem = answerProblem(answer, request);
    return problem
      ? { decision: "deny", by: "approver", note: `the approver's answer is refused: ${problem}` }
      : { ...answer, by: "approver" };
  } catch (error) {
    return {
      decision: "deny",
      by: "approver",
      note: `the approver failed: ${error instanceof Error ? error.message : String(error)}`,
    };
  }
}

/** What is wrong with an answer, given what was offered; undefined when nothing is. */
export function answerProblem(answer: unknown, { options }: Pick<ApprovalRequest, "options">): string | undefined {
  const { decision, remember = "once" } = Object(answer) as Partial<ApprovalAnswer>;
  if (decision !== "allow" && decision !== "deny") return `the decision must be "allow" or "deny"`;
  return options.includes(remember) ? undefined : `"remember" must be one of ${options.join(", ")}`;
}

function toolKey(tool: string, digest: string): string {
  return canonicalJson([tool, digest]);
}

function scopeKey(tool: string, digest: string, name: string): string {
  return canonicalJson([tool, digest, name, "scope"]);
}

function inputKey(tool: string, digest: string, input: Json): string {
  return canonicalJson([tool, digest, input]);
}
