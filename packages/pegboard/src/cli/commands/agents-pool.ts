import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { describePool } from "../pool-view.ts";
import { closeWorkspace, openFor } from "../workspace.ts";

/** Shows how agents are kept warm here. A pool is one process's own, so that of this command holds none. */
export async function agentsPool(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const { workspace, tooStrict } = await openFor(input, { readOnly: true });
  try {
    const { stats } = workspace.pool;
    if (options.json) terminal.print(JSON.stringify({ pool: stats }, null, 2));
    else for (const line of describePool(stats, terminal)) terminal.print(line);
    terminal.note("A pool lives in a process that stays. That of a chat: pegboard chat, and there /pool");
    return tooStrict ? EXIT.failed : EXIT.done;
  } finally {
    await closeWorkspace(workspace, terminal);
  }
}
