import type { AgentContext } from "@agentclientprotocol/sdk";
import type { ApprovalAnswer } from "../../core/approval.ts";
import { messageOf } from "../../core/error.ts";
import type { EventOf } from "../../core/event.ts";
import type { Desk } from "../desk.ts";
import type { Principal } from "../principal.ts";
import { askClient } from "./ask-client.ts";
import type { Mode } from "./modes.ts";
import { toApprovalAnswer, toPermissionRequest } from "./permission.ts";
import type { KnownTools } from "./tool-call.ts";

/** What a client is asked with. */
export interface AskingDeps {
  readonly client: AgentContext;
  readonly desk: Desk;
  readonly principal: Principal;
  readonly tools: KnownTools;
  /** What the client has chosen, as it is now. */
  mode(): Mode | undefined;
}

/** The questions that a client has been asked. */
export interface Asking {
  /** Asks the client, or does what it has chosen, and answers the request. */
  ask(event: EventOf<"approval-request">): void;
  /** A request has its answer: the client is not asked any more. */
  withdraw(approval: string): void;
}

/** Makes a client one of those who can answer approval requests. */
export function createAsking({ client, desk, principal, tools, mode }: AskingDeps): Asking {
  const open = new Map<string, AbortController>();

  async function ask(event: EventOf<"approval-request">): Promise<void> {
    const { id } = event.data;
    const over = new AbortController();
    open.set(id, over);
    // It is on record before it waits.
    await new Promise((resolve) => setTimeout(resolve));
    const answer = await decide(event, over.signal);
    open.delete(id);
    // Somebody else was faster, or it does not matter any more.
    if (!over.signal.aborted) await desk.answer(principal, id, answer).catch(() => {});
  }

  async function decide(event: EventOf<"approval-request">, over: AbortSignal): Promise<ApprovalAnswer> {
    const chosen = mode();
    if (chosen === "all" || chosen === "none")
      return { decision: chosen === "all" ? "allow" : "deny", note: `approve mode ${chosen} of the client` };
    try {
      const request = toPermissionRequest(event, tools);
      const response = await askClient(client, "session/request_permission", request, over);
      return toApprovalAnswer(response, event.data.options);
    } catch (error) {
      return { decision: "deny", note: messageOf(error) };
    }
  }

  return { ask: (event) => void ask(event), withdraw: (approval) => open.get(approval)?.abort() };
}
