import { PegboardError } from "../core/error.ts";
import type { CommandInput } from "./command.ts";
import { visibleLine } from "./terminal.ts";
import { closeWorkspace, type Opened, openFor } from "./workspace.ts";

/**
 * Opens the workspace for clients, and takes up what changes in it. What is not trusted is said, and comes when it is.
 * Rejects with `invalid_definition` when `--strict` does not let it pass.
 */
export async function openServed(input: CommandInput): Promise<Opened> {
  const { terminal } = input;
  const opened = await openFor(input, { watch: true });
  const { workspace, tooStrict } = opened;
  if (tooStrict) {
    await closeWorkspace(workspace, terminal);
    throw new PegboardError("invalid_definition", "Nothing is served: not everything loaded (--strict)");
  }
  if (workspace.held.length > 0) {
    const held = visibleLine(workspace.held.join(", "));
    terminal.warn(`Not loaded, because this workspace is not trusted: ${held}. Look at it and run: pegboard trust`);
  }
  return opened;
}
