import { type CallToolResult, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { Json, ToolContext } from "@pegboard/contract";
import { announce, askBack, type AskContext } from "./ask-back.ts";
import { followTask } from "./follow-task.ts";
import { toParamHeaders } from "./param-headers.ts";
import type { McpTool } from "./read-tools.ts";
import type { Requests } from "./requests.ts";

/** Who waits for a call, and is told how far it is. */
export type CallContext = AskContext & Pick<ToolContext, "progress">;

/** What a call is made with. */
export interface CallRemotelyDeps {
  /** The era of the server. */
  readonly spoken: "legacy" | "modern";
  readonly requests: Requests;
  /** What every request of the new era says of its sender. */
  readonly envelope: Readonly<Record<string, unknown>>;
}

/**
 * Calls a tool of a server; what the server asks back goes to the client of the call, and a task that it makes of the call is
 * followed to its end. Resolves to a result of the form that the protocol wants; rejects with the errors of the SDK.
 */
export async function callRemotely(
  { name, inputSchema }: McpTool,
  input: Json,
  { signal, progress, client }: CallContext,
  { spoken, requests, envelope }: CallRemotelyDeps,
): Promise<CallToolResult> {
  const options = {
    signal,
    ...(spoken === "modern" && { headers: toParamHeaders(inputSchema, input) }),
    progress: ({ message, ...at }: { message: string; current: number; total?: number }) => progress(message, at),
  };
  const meta = () => (spoken === "modern" ? { _meta: { ...envelope, ...announce(client, true) } } : {});
  const result = await askBack(client, (answers) =>
    requests.send("tools/call", { name, arguments: input, ...answers, ...meta() }, options),
  );
  const { resultType } = Object(result) as { resultType?: unknown };
  if (spoken === "legacy" || resultType === "complete") return toCallResult(result);
  if (resultType !== "task")
    throw new SdkError(
      SdkErrorCode.UnsupportedResultType,
      `It answered with a result of the type ${String(resultType)}`,
    );
  // Our own client is let go as well, where it can be.
  client?.detach();
  const yielded = await followTask(result, {
    ask: (method, params, until) => requests.send(method, { ...params, ...meta() }, { signal: until }),
    signal,
    client,
    progress: (message) => progress(message),
  });
  return toCallResult(yielded);
}

const BLOCKS: readonly unknown[] = ["text", "image", "audio", "resource", "resource_link"];

function toCallResult(result: unknown): CallToolResult {
  const { resultType: _, content = [], ...rest } = Object(result) as Readonly<Record<string, unknown>>;
  // What a block holds is checked where the results of all tools are.
  if (!Array.isArray(content) || !content.every((block) => BLOCKS.includes((Object(block) as { type?: unknown }).type)))
    throw new SdkError(SdkErrorCode.InvalidResult, "It answered with content that is not of a known type");
  return { content, ...rest } as CallToolResult;
}
