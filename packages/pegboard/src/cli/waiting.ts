import type { EventData } from "../core/event.ts";
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
      if (type === "approval-request") announceApproval(data, terminal);
    }
  } catch {
    // A log that cannot be read costs the announcement, not the call.
  }
}

/** Says how to answer an approval request from elsewhere. */
export function announceApproval(
  { id, summary, expiresAt }: Pick<EventData["approval-request"], "id" | "summary" | "expiresAt">,
  terminal: Terminal,
): void {
  terminal.warn(`Waiting until ${new Date(expiresAt).toISOString()} for an answer: ${visibleLine(summary)}
    pegboard approvals show ${id}
    pegboard approvals answer ${id} allow
    pegboard approvals answer ${id} deny`);
}
