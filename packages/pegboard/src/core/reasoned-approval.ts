import type { Approval } from "@pegboard/contract";

/**
 * What the approval check of a tool of ours may answer instead of a word: also why. A `firm` ask stands whatever the
 * operator's rules say; approve mode `all`, and an earlier answer to the very same input, still cover it.
 */
export interface ReasonedApproval {
  readonly approval: Approval;
  readonly reason: string;
  readonly firm?: boolean;
}

/** The `approval` of a tool whose check gives reasons. From a source whose word is not believed it counts as no answer. */
export function withReason<Input>(check: (input: Input) => ReasonedApproval): (input: Input) => Approval {
  return check as unknown as (input: Input) => Approval;
}

/** Whether an approval check gave its reason. */
export function isReasoned(said: unknown): said is ReasonedApproval {
  const { approval, reason } = Object(said) as Partial<ReasonedApproval>;
  return typeof reason === "string" && (approval === "preApproved" || approval === "ask" || approval === "blocked");
}
