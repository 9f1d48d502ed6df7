import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withSessions } from "../session-log.ts";

/** Begins a new session with the history of a run. */
export async function sessionFork(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const [id] = input.arguments as [string];
  const { run, as } = options as { readonly run?: string; readonly as?: string };
  return withSessions(input, async (sessions) => {
    const given = { ...(run !== undefined && { run }), ...(as !== undefined && { id: as }) };
    const forked = await sessions.fork(id, given);
    if (options.json) terminal.print(JSON.stringify(forked, null, 2));
    else terminal.print(forked.session);
    terminal.note(`Go on in it with: pegboard run <agent> --continue ${forked.run.slice(0, 8)} …`);
    return EXIT.done;
  });
}
