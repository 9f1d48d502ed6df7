import type { StopReason } from "@agentclientprotocol/sdk";
import { PegboardError } from "../../core/error.ts";
import type { EndReason } from "../../core/model.ts";
import type { RunResult } from "../../core/run-result.ts";

const ENDED: Partial<Record<EndReason, StopReason>> = { length: "max_tokens", filter: "refusal" };

/** Why a prompt has ended: `reason` is how its last turn did. Throws the error of a run that failed. */
export function toStopReason({ status, error }: RunResult, reason: EndReason | undefined): StopReason {
  if (status === "cancelled") return "cancelled";
  if (status === "completed") return (reason && ENDED[reason]) ?? "end_turn";
  if (error?.code === "budget_limit") return "max_turn_requests";
  throw new PegboardError(error?.code ?? "internal", error?.message ?? "The run failed without saying why");
}
