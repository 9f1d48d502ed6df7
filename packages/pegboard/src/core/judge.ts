import type { Approval, Json } from "@pegboard/contract";

/** What the operator's rules for one tool say about one input, and which of them. */
export interface Judgement {
  readonly approval: Approval;
  readonly reason: string;
  readonly rule?: string;
  readonly file?: string;
  readonly line?: number;
  /** Whether a rule says just this; else it is what holds where none does, and a rule of the policy may say otherwise. */
  readonly ruled: boolean;
  /** The narrowest patterns that would allow it from now on. */
  readonly suggestions: readonly string[];
}

/**
 * The operator's own rules for what one tool is given, where comparing texts is not enough: commands, for one. What it says
 * counts like a rule of the policy that names the input, and it alone can allow an input: a rule of the policy that allows
 * the tool counts only if it is `unsafe`, and one that allows by comparing texts asks instead.
 */
export interface Judge {
  /** What the tool can expect, whatever its input: `blocked` when no input would be let through. */
  readonly outlook: "ask" | "blocked";
  /** The rules that allow without looking at what they allow. */
  readonly unsafe: readonly Pick<Judgement, "rule" | "file" | "line">[];
  /** Judges an input, also one that does not match its schema, for a session in this folder. Must not throw. */
  judge(input: Json, caller: { readonly cwd?: string }): Judgement;
}
