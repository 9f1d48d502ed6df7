import type { PegboardError } from "../../core/error.ts";
import { namedError } from "./wire.ts";

/** The error of a session that there is not, or that is somebody else's: nobody can tell which. */
export function noSession(id: string): PegboardError {
  return namedError("SESSION_NOT_FOUND", "not_found", `There is no session "${id}": open one with session.create`);
}
