import { PegboardError } from "./error.ts";
import { LOG_SESSION } from "./event.ts";
import { newId } from "./new-id.ts";

/** The id of a session: a new one when none is given. Throws `invalid_input` for one that could be a path. */
export function toSessionId(id: string = newId()): string {
  if (id === LOG_SESSION)
    throw new PegboardError("invalid_input", `The session id "${id}" is the log's own: choose another`);
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,127}$/.test(id)) return id;
  throw new PegboardError(
    "invalid_input",
    `The session id ${JSON.stringify(id.slice(0, 80))} is refused: letters, digits, - and _, at most 128`,
  );
}
