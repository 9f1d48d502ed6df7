import type { ErrorCode, Json } from "@pegboard/contract";
import { PegboardError, messageOf } from "../../core/error.ts";
import type { Event, EventType } from "../../core/event.ts";

/** The version of the protocol: it changes when a client would have to. */
export const PROTOCOL = 1;

/** How a command is named by whoever sends it. */
export type CommandId = string | number;

/**
 * What a client gets. `seq` counts from 1 for each command; exactly one event is `final`, and it is the last. `id` is null
 * for what answers no command that could be read.
 */
export type WireEvent = {
  readonly id: CommandId | null;
  readonly seq: number;
} & (
  | { readonly type: EventType; readonly data: Event; readonly final: false }
  | { readonly type: "result" | "pong" | "connected"; readonly data: unknown; readonly final: true }
  | { readonly type: "error"; readonly data: WireError; readonly final: true }
);

/** Why a command failed. `code` is of the table of errors, `name` says it in one word, such as TOOL_NOT_FOUND. */
export interface WireError {
  readonly code: ErrorCode;
  readonly name: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly details?: Json;
}

/** An error of the protocol that has a name of its own. */
export function namedError(name: string, code: ErrorCode, message: string): PegboardError {
  return new PegboardError(code, message, { details: { name } });
}

/** Whatever was thrown, as clients get it. What is not ours is a defect, and told without its inside. */
export function toWireError(thrown: unknown): WireError {
  if (!(thrown instanceof PegboardError))
    return { code: "internal", name: "INTERNAL_ERROR", message: messageOf(thrown), retryable: false };
  const { code, message, retryable, details } = thrown;
  const { name, ...more } = Object(details) as { readonly name?: unknown };
  const named = typeof name === "string" && /^[A-Z_]+$/.test(name);
  const rest = named ? (Object.keys(more).length > 0 ? (more as Json) : undefined) : details;
  return {
    code,
    name: named ? name : code === "internal" ? "INTERNAL_ERROR" : code.toUpperCase(),
    message,
    retryable,
    ...(rest !== undefined && { details: rest }),
  };
}

/** An event as one line, without its end. Characters that some readers take for the end of a line are escapes. */
export function toLine(event: WireEvent): string {
  return JSON.stringify(event).replaceAll(/[\u0085\u2028\u2029]/g, escape);
}

function escape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
