import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withSessions } from "../session-log.ts";

/** Forgets the conversation of a session. */
export async function sessionClear(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const [id] = input.arguments as [string];
  return withSessions(input, async (sessions) => {
    const { run } = await sessions.clear(id);
    if (options.json) terminal.print(JSON.stringify({ run }, null, 2));
    else terminal.print(`Whoever goes on from run ${run.slice(0, 8)} begins anew`);
    return EXIT.done;
  });
}
