import type { Request } from "./carry-out.ts";
import type { PegboardError } from "../../core/error.ts";
import { type CommandId, namedError } from "./wire.ts";

/** What a message says: a command, or why it is none. `id` is there as far as it can be read. */
export interface ReadCommand {
  readonly id: CommandId | null;
  readonly request?: Request;
  readonly problem?: PegboardError;
}

/** Reads one message. Never throws. */
export function readCommand(text: string): ReadCommand {
  let value: unknown;
  try {
    // Some programs begin what they write with a mark of its encoding.
    value = JSON.parse(text.startsWith("\ufeff") ? text.slice(1) : text);
  } catch {
    return { id: null, problem: wrong("INVALID_JSON", "The message is not JSON: send one JSON object a message") };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { id: null, problem: wrong("INVALID_COMMAND", `A command is an object such as {"id":1,"type":"ping"}`) };
  const { id = null, type, session, params } = value as Record<string, unknown>;
  if (id !== null && typeof id !== "string" && typeof id !== "number")
    return { id: null, problem: wrong("INVALID_COMMAND", "The id of a command must be a string or a number") };
  if (typeof type !== "string")
    return { id, problem: wrong("INVALID_COMMAND", `A command needs a type, such as "ping"`) };
  if (session !== undefined && session !== null && typeof session !== "string")
    return { id, problem: wrong("INVALID_COMMAND", "The session of a command must be the id of one") };
  return { id, request: { type, session: session ?? undefined, params } };
}

function wrong(name: string, message: string): PegboardError {
  return namedError(name, "invalid_input", message);
}
