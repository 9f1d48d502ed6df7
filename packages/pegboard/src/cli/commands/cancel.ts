import { PegboardError } from "../../core/error.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withSessions } from "../session-log.ts";

/** Ends a run, or the runs of a session, of whatever process. */
export async function cancel(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const [id] = input.arguments as [string];
  return withSessions(input, async (sessions) => {
    const { asked, ended } = await sessions.cancel(id, "command line");
    if (asked + ended === 0) throw new PegboardError("not_found", `Nothing of "${id}" is at work: it is over`);
    if (options.json) terminal.print(JSON.stringify({ asked, ended }, null, 2));
    else {
      if (asked > 0) terminal.print(`${count(asked)} asked to end: the process that has it follows within a second`);
      if (ended > 0) terminal.print(`${count(ended)} ended, which no process had any more`);
    }
    return EXIT.done;
  });
}

function count(runs: number): string {
  return runs === 1 ? "1 run was" : `${runs} runs were`;
}
