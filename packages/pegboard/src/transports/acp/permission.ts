import type { PermissionOption, RequestPermissionRequest, RequestPermissionResponse } from "@agentclientprotocol/sdk";
import type { ApprovalAnswer, Remember } from "../../core/approval.ts";
import type { EventOf } from "../../core/event.ts";
import { visible } from "../visible.ts";
import { type KnownTools, toProposal, toShownCall, toText } from "./tool-call.ts";

/** What an answer holds for, the narrowest first: a client that picks the first one gives the least away. */
const ALLOW: Readonly<Record<Remember, string>> = {
  once: "Allow once",
  input: "Allow this input in this session",
  scope: "Allow in this session",
  tool: "Allow this tool in this session",
  rule: "Always allow",
};
const DENY = "deny";
const NEVER = "deny-rule";

/** An approval request, as the client is asked. */
export function toPermissionRequest(
  { session, call, chain = [], data }: EventOf<"approval-request">,
  tools: KnownTools,
): RequestPermissionRequest {
  const { tool, input, summary, reason } = data;
  const by = chain.length > 0 ? `\nAsked by: ${chain.join(" → ")}` : "";
  return {
    sessionId: session,
    toolCall: {
      toolCallId: call ?? data.id,
      status: "pending",
      ...toShownCall(tool, input, tools),
      title: visible(summary),
      content: [...toProposal(tool, input, tools), toText(visible(`Why this is asked: ${reason}${by}`))],
      rawInput: input,
    },
    options: toOptions(data),
  };
}

/** What the client answered. Whatever allows nothing that was offered denies. */
export function toApprovalAnswer({ outcome }: RequestPermissionResponse, offered: readonly Remember[]): ApprovalAnswer {
  if (outcome.outcome !== "selected") return { decision: "deny", note: "nobody answered at the client" };
  if (outcome.optionId === NEVER) return { decision: "deny", remember: "rule" };
  const remember = offered.find((option) => option === outcome.optionId);
  return remember ? { decision: "allow", remember } : { decision: "deny" };
}

function toOptions({ options, suggestions, scope }: EventOf<"approval-request">["data"]): PermissionOption[] {
  const covers = toCovered(suggestions);
  const allow = (Object.keys(ALLOW) as Remember[])
    .filter((option) => options.includes(option))
    .map((optionId): PermissionOption => {
      const what = optionId === "rule" ? covers : optionId === "scope" ? toCovered(scope) : "";
      return { optionId, name: ALLOW[optionId] + what, kind: optionId === "once" ? "allow_once" : "allow_always" };
    });
  const never: PermissionOption = { optionId: NEVER, name: `Never allow${covers}`, kind: "reject_always" };
  return [
    ...allow,
    { optionId: DENY, name: "Deny", kind: "reject_once" },
    ...(options.includes("rule") ? [never] : []),
  ];
}

function toCovered(names: readonly string[] = []): string {
  return names.length > 0 ? `: ${visible(names.join(", "))}` : "";
}
