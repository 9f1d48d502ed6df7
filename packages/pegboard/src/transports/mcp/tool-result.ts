import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Result, ResultMeta } from "@pegboard/contract";
import { textOf } from "../../core/result.ts";

/** Under which failures tell programs their code. */
export const ERROR_META = "pegboard/error";
/** Under which programs are told how a result is to be shown. */
const KIND_META = "pegboard/kind";

/**
 * A result as MCP has it. Text for the model is always there: the message of a failure, or what the tool said. One that was
 * cut has no structured content; where the tool promised some, clients take it only as a failure.
 */
export function toToolResult(result: Result, promisesStructured: boolean): CallToolResult {
  const { ok, content, structured, error, meta } = result;
  const beside = besideOf(meta);
  if (error) {
    const { code, message, retryable, details } = error;
    const told = textOf(result).includes(message) ? [] : [{ type: "text", text: message }];
    return {
      content: [...told, ...content] as CallToolResult["content"],
      isError: true,
      _meta: { ...beside, [ERROR_META]: { code, retryable, ...(details !== undefined && { details }) } },
    };
  }
  // Some clients show the text alone.
  const silent = structured !== undefined && !content.some(({ type }) => type === "text");
  const lost = promisesStructured && structured === undefined && meta.cut !== undefined;
  return {
    content: [...content, ...(silent ? [{ type: "text", text: JSON.stringify(structured) }] : [])],
    ...(structured !== undefined && { structuredContent: structured }),
    ...((lost || !ok) && { isError: true }),
    ...(beside && { _meta: beside }),
  } as CallToolResult;
}

/** What goes with a result: its kind, and what a server of MCP that we asked said beside its answer. */
function besideOf({ kind, ["mcp"]: said }: ResultMeta): object | undefined {
  if (kind === undefined && said === undefined) return undefined;
  return {
    ...(typeof said === "object" && !Array.isArray(said) && said),
    ...(kind !== undefined && { [KIND_META]: kind }),
  };
}
