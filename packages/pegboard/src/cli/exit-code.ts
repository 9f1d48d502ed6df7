import type { ErrorCode } from "@pegboard/contract";

/** What the command's exit code says. */
export const EXIT = { done: 0, failed: 1, usage: 2, refused: 3, untrusted: 4, interrupted: 130 } as const;

const BY_CODE: Partial<Record<ErrorCode, number>> = {
  invalid_config: EXIT.usage,
  denied: EXIT.refused,
  blocked: EXIT.refused,
  expired: EXIT.refused,
  agent_mismatch: EXIT.refused,
  untrusted: EXIT.untrusted,
  cancelled: EXIT.interrupted,
};

/** The exit code for a failure. */
export function exitCodeOf(code: ErrorCode): number {
  return BY_CODE[code] ?? EXIT.failed;
}
