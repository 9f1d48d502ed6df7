import type { ErrorCode } from "./error.ts";
import type { Json } from "./schema.ts";

/** One block of what the model reads. The shapes are those of MCP, so that results cross that protocol without loss. */
export type Content =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image" | "audio"; readonly data: string; readonly mimeType: string }
  | {
      readonly type: "resource";
      readonly resource: {
        readonly uri: string;
        readonly mimeType?: string;
        readonly text?: string;
        readonly blob?: string;
      };
    }
  | {
      readonly type: "resource_link";
      readonly uri: string;
      readonly name: string;
      readonly description?: string;
      readonly mimeType?: string;
    };

/** Why a call failed: a code of the table, a message for the model, and whether trying again can help. */
export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: Json;
}

/** What one call yields: `content` for the model, `structured` for programs. `error` is there exactly when `ok` is false. */
export interface Result {
  readonly ok: boolean;
  readonly content: readonly Content[];
  readonly structured?: Json;
  readonly error?: Failure;
  readonly meta: ResultMeta;
}

/** Facts beside the result. `kind` tells clients how to show it; `cut` is there when the content was shortened. */
export interface ResultMeta {
  readonly kind?: string;
  readonly cut?: { readonly kept: number; readonly characters?: number; readonly handle?: string };
  readonly [key: string]: Json | undefined;
}

/**
 * What `execute` may return: text, any JSON value, nothing, or a partial `Result`. Dates, bytes, maps, sets and big
 * integers are brought to a stable JSON form; anything that has none makes the call fail with `tool_error`.
 */
export type ToolReturn = unknown;

/** A failed result that a tool returns instead of throwing, with a code of the table. */
export function fail(code: ErrorCode, message: string, options: { retryable?: boolean; details?: Json } = {}): Result {
  const { retryable = false, details } = options;
  return {
    ok: false,
    content: [{ type: "text", text: message }],
    error: { code, message, retryable, ...(details !== undefined && { details }) },
    meta: {},
  };
}
