import type { Approver } from "../../core/approval.ts";
import { messageOf } from "../../core/error.ts";
import type { Event } from "../../core/event.ts";
import type { Client } from "../../client/index.ts";
import { toApprover } from "../approver.ts";
import type { Settings } from "../settings.ts";
import { type Terminal, visibleLine } from "../terminal.ts";
import { announceApproval } from "../waiting.ts";

/** Who answers what a server asks. */
export interface AnswerDeps {
  readonly client: Client;
  readonly settings: Settings;
  readonly terminal: Terminal;
  /** Lets a person be asked without anything in between. */
  during?<T>(ask: () => T | Promise<T>): Promise<T>;
}

/**
 * Answers the approval requests among the events that it is shown, as the mode says: the person at the terminal, yes to
 * all, no to all, or somebody elsewhere.
 */
export function createAnswering({
  client,
  settings,
  terminal,
  during = async (ask) => ask(),
}: AnswerDeps): (event: Event) => void {
  const mode = settings.approve.value;
  const approver = mode === "wait" ? undefined : (toApprover(settings, terminal) ?? fixed(mode === "all"));
  const asked = new Map<string, AbortController>();

  async function answer(id: string, signal: AbortSignal, decide: Approver): Promise<void> {
    const { approvals } = await client.send("approval.list", {});
    const request = approvals.find((one) => one.id === id);
    if (!request) return;
    const given = await during(() => decide(request, { signal }));
    if (!signal.aborted) await client.send("approval.answer", { approval: id, ...given });
  }

  return (event) => {
    if (event.type === "approval-response") asked.get(event.data.id)?.abort();
    if (event.type !== "approval-request") return;
    if (!approver) return announceApproval(event.data, terminal);
    const over = new AbortController();
    asked.set(event.data.id, over);
    void answer(event.data.id, over.signal, approver).catch((error: unknown) => {
      // Somebody else may have been faster.
      if (!over.signal.aborted) terminal.warn(`The answer does not count: ${visibleLine(messageOf(error))}`);
    });
  };
}

function fixed(allows: boolean): Approver {
  const note = allows ? "approve mode all of the command line" : "nobody is there to ask at the command line";
  return () => ({ decision: allows ? "allow" : "deny", note });
}
