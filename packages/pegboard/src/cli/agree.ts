import { PegboardError } from "../core/error.ts";
import { confirm } from "./ask.ts";
import type { CommandInput } from "./command.ts";

/** Whether whoever is at the terminal agrees, or `--yes` does. Throws `invalid_config` when nobody is there to ask. */
export async function agree({ options, terminal }: CommandInput, question: string, how = "--yes"): Promise<boolean> {
  if (options["yes"]) return true;
  if (!terminal.interactive)
    throw new PegboardError("invalid_config", `There is no terminal to ask on: agree with ${how}`);
  return confirm(question);
}
