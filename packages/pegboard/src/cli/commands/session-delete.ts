import { agree } from "../agree.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withSessions } from "../session-log.ts";

/** Takes one session out of the log. */
export async function sessionDelete(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const [id] = input.arguments as [string];
  return withSessions(input, async (sessions) => {
    const { session, events: count, runs } = await sessions.show(id);
    if (!(await agree(input, `Take session ${session} (${runs.length} runs, ${count} events) out of the log?`))) {
      terminal.note("Nothing was changed");
      return EXIT.refused;
    }
    const { events } = await sessions.delete(session);
    if (options.json) terminal.print(JSON.stringify({ session, events }, null, 2));
    else terminal.print(`Took session ${session} (${events} events) out of the log`);
    return EXIT.done;
  });
}
