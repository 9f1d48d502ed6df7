import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withSessions } from "../session-log.ts";

/** Adds a message that the model reads when the conversation goes on. */
export async function sessionInject(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const [id, words] = input.arguments as [string, readonly string[]];
  return withSessions(input, async (sessions) => {
    const { run } = await sessions.inject(id, words.join(" "));
    if (options.json) terminal.print(JSON.stringify({ run }, null, 2));
    else terminal.print(`It is read when run ${run.slice(0, 8)} is gone on from`);
    return EXIT.done;
  });
}
