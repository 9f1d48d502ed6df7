import type { Approval } from "@pegboard/contract";

/**
 * What the approval check of a tool of ours may answer instead of a word: also why. A `firm` ask stands whatever the
 * operator's rules say; approve mode `all`, and an earlier answer to the very same input, still cover it.
 */
export interface Verdict {
  readonly approval: Approval;
  readonly reason: string;
  readonly firm?: boolean;
}

/** The `approval` of a tool whose check gives reasons. From a source whose word is not believed it counts as no answer. */
export function byVerdict<Input>(check: (input: Input) => Verdict): (input: Input) => Approval {
  return check as unknown as (input: Input) => Approval;
}

/** Whether an approval check gave a verdict. */
export function isVerdict(said: unknown): said is Verdict {
  const { approval, reason } = Object(said) as Partial<Verdict>;
  return typeof reason === "string" && (approval === "preApproved" || approval === "ask" || approval === "blocked");
}
