import type { Json, Result } from "@pegboard/contract";
import type { ApprovalAnswer } from "../../core/approval.ts";
import { PegboardError } from "../../core/error.ts";
import { toFailedResult } from "../../core/result.ts";
import type { CallWork } from "./call-work.ts";
import type { McpSeat } from "./seat.ts";

/** The work that is a call of a tool in the session; `background` lets its client go where it can come back. */
export function toToolWork({ session }: McpSeat, tool: string, input: Json, background = false): CallWork<Result> {
  return {
    tool,
    input,
    async run(call) {
      const { id, earlier } = call;
      if (background) call.detach();
      if (earlier?.decision === "deny") return toFailedResult(denied(tool, earlier));
      const approved = earlier && { approved: "the client, asked before a restart" };
      return session.call(tool, input, { id, client: call, staysAsked: () => call.staysAsked, ...approved });
    },
    cancel: (id) => void session.cancel(id),
  };
}

function denied(tool: string, { note }: ApprovalAnswer): PegboardError {
  return new PegboardError("denied", `The call of tool "${tool}" was denied${note ? `: ${note}` : ""}`);
}
