import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Result, ResultMeta } from "@pegboard/contract";
import { STRUCTURED_META } from "../../core/mcp-names.ts";
import { textOf } from "../../core/result.ts";
import { isRecord } from "./message-params.ts";

/** Under which failures tell programs their code. */
export const ERROR_META = "pegboard/error";
/** Under which programs are told how a result is to be shown. */
const KIND_META = "pegboard/kind";

/**
 * A result as MCP has it. Text for the model is always there: the message of a failure, or what the tool said. Structured
 * content that lacks what the text says, and was not promised, is in `_meta` instead: some clients show the model nothing
 * else. A result that was cut has none; where the tool promised some, clients take it only as a failure.
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
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  // Others show the text alone.
  const silent = structured !== undefined && texts.length === 0;
  const lost = promisesStructured && structured === undefined && meta.cut !== undefined;
  const tells = structured !== undefined && (promisesStructured || silent || isSame(texts, structured));
  const apart = structured !== undefined && !tells && { [STRUCTURED_META]: structured };
  return {
    content: [...content, ...(silent ? [{ type: "text", text: JSON.stringify(structured) }] : [])],
    ...(tells && { structuredContent: structured }),
    ...((lost || !ok) && { isError: true }),
    ...((beside || apart) && { _meta: { ...beside, ...apart } }),
  } as CallToolResult;
}

/** What goes with a result: its kind, and what a server of MCP that we asked said beside its answer. */
function besideOf({ kind, ["mcp"]: said }: ResultMeta): object | undefined {
  if (kind === undefined && said === undefined) return undefined;
  return {
    ...(isRecord(said) && said),
    ...(kind !== undefined && { [KIND_META]: kind }),
  };
}

/** Whether a text is the JSON of a value, however it is spaced. */
function isSame([text, more]: readonly string[], value: unknown): boolean {
  if (text === undefined || more !== undefined) return false;
  const json = JSON.stringify(value);
  if (text === json) return true;
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    return false;
  }
}
