import { createSessions, type Sessions } from "../agents/sessions.ts";
import { isProcessAlive } from "../node/process-identity.ts";
import { userFolder } from "../node/places.ts";
import { userRedactor } from "../node/secrets.ts";
import type { CommandInput } from "./command.ts";
import { withLog } from "./commands/log-store.ts";

/** Works on the sessions of the workspace's log. Nothing of the workspace runs, so it needs no trust. */
export function withSessions<T>(input: CommandInput, work: (sessions: Sessions) => Promise<T>): Promise<T> {
  return withLog(input, (log) =>
    work(createSessions({ log, isAlive: isProcessAlive, redactor: userRedactor(userFolder()) })),
  );
}
