import type { Session } from "../core/session.ts";
import { type Terminal, visibleLine } from "./terminal.ts";

/** Says how to answer each approval request that a session makes from `from` on, until the signal fires. Never rejects. */
export async function announceApprovals(
  session: Session,
  { from, signal }: { readonly from: number; readonly signal: AbortSignal },
  terminal: Terminal,
): Promise<void> {
  try {
    for await (const { type, data } of session.events({ from, signal })) {
      if (type !== "approval-request") continue;
      terminal.warn(`Waiting until ${new Date(data.expiresAt).toISOString()} for an answer: ${visibleLine(data.summary)}
    pegboard approvals show ${data.id}
    pegboard approvals answer ${data.id} allow
    pegboard approvals answer ${data.id} deny`);
    }
  } catch {
    // A log that cannot be read costs the announcement, not the call.
  }
}
