import { agree } from "../agree.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withSessions } from "../session-log.ts";
import { parseAge } from "./log-filter.ts";

const AGE = "30d";

/** Takes sessions out of the log that were not used for long. */
export async function sessionClean(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const { olderThan = AGE } = options as { readonly olderThan?: string };
  const olderThanMs = parseAge("--older-than", olderThan);
  if (!(await agree(input, `Take all sessions out of the log that were not used for ${olderThan}?`))) {
    terminal.note("Nothing was changed");
    return EXIT.refused;
  }
  return withSessions(input, async (sessions) => {
    const cleaned = await sessions.clean({ olderThanMs });
    if (options.json) terminal.print(JSON.stringify(cleaned, null, 2));
    else terminal.print(`Took ${cleaned.sessions} sessions (${cleaned.events} events) out of the log`);
    return EXIT.done;
  });
}
