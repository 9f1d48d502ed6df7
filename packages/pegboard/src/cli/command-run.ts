import { fillCommand } from "../core/command-prompt.ts";
import type { RunOptions } from "../core/run.ts";
import type { Workspace } from "../node/workspace.ts";

/** The run that a command comes to. */
export interface CommandRun extends Pick<RunOptions, "model" | "tools"> {
  readonly agent: string;
  readonly prompt: string;
}

/** The agent of commands that name none. */
const AGENT = "assistant";

/** Whether there is a command of this name, or several. */
export function hasCommand({ commands }: Workspace, name: string): boolean {
  return commands.list().some(({ id, item }) => id === name || item.name === name);
}

/** Finds a command and fills it in. Rejects with `not_found`, and with `invalid_input` for a name that could be several. */
export async function toCommandRun(
  { commands, agents }: Workspace,
  name: string,
  given: string | readonly string[],
): Promise<CommandRun> {
  const { item, plugin } = commands.find(name);
  const { agent = AGENT, model, tools } = item;
  // An agent of its own plugin is meant first.
  const own = plugin === undefined ? undefined : await agents.find(`${plugin}/${agent}`).catch(() => undefined);
  return {
    agent: own?.name ?? agent,
    prompt: fillCommand(item, given),
    ...(model !== undefined && { model }),
    ...(tools && { tools }),
  };
}
