import {
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type ReadResourceResult,
  ResourceNotFoundError,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { Failure } from "@pegboard/contract";
import { toWaitingText } from "./approval-form.ts";
import { attendCall, type CallServer } from "./attend-call.ts";
import type { McpSeat } from "./seat.ts";
import { toToolWork } from "./tool-work.ts";

/** Reads an address by calling a tool: whoever must agree to that is asked, and the log keeps it. */
export async function readByTool(
  server: CallServer,
  seat: McpSeat,
  tool: string,
  uri: string,
  context: ServerContext,
): Promise<ReadResourceResult | InputRequiredResult> {
  const input = { uri };
  const outcome = await attendCall(
    server,
    seat,
    { method: "resources/read", name: uri, input },
    toToolWork(seat, tool, input),
    context,
  );
  if (outcome.state === "asks") return outcome.question;
  if (outcome.state === "waits")
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, toWaitingText(outcome.waiting));
  if (outcome.state === "detached")
    throw new ProtocolError(ProtocolErrorCode.InternalError, "It takes too long to read");
  const { error, content } = outcome.result;
  if (error) throw toProtocolError(error, uri);
  return {
    contents: content.flatMap((block) => (block.type === "resource" ? block.resource : [])),
  } as ReadResourceResult;
}

/** How servers say that there is nothing at an address: the old way and the new one. */
const NOTHING_THERE: readonly unknown[] = [-32002, -32602];

function toProtocolError({ code, message, details }: Failure, uri: string): ProtocolError {
  const { mcp } = Object(details) as { mcp?: unknown };
  if (NOTHING_THERE.includes(mcp)) return new ResourceNotFoundError(uri);
  const isOurs = code === "internal" || code === "unavailable" || code === "timeout";
  return new ProtocolError(isOurs ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidRequest, message);
}
