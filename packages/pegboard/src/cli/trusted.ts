import { untrusted } from "../node/trust.ts";
import { readWorkspace } from "../node/read-workspace.ts";
import type { CommandInput } from "./command.ts";
import { requestTrust } from "./trust.ts";
import { type Opened, type OpenForOptions, openFor } from "./workspace.ts";

/**
 * Opens the workspace for work of agents: without the models, tools and rules of it they would not be what their files
 * say. So it must be trusted; who is at the terminal is asked. Rejects with `untrusted`.
 */
export async function openTrusted(input: CommandInput, given: OpenForOptions = {}): Promise<Opened> {
  const opened = await openFor(input, given);
  const { workspace, settings } = opened;
  const { file, trust } = workspace;
  return file === undefined || trust.trusted || settings.trust.value ? opened : reopenTrusted(opened, input, given);
}

/** Asks who is at the terminal to trust the workspace, and opens it anew. Rejects with `untrusted`. */
export async function reopenTrusted(
  { workspace, settings }: Opened,
  input: CommandInput,
  given: OpenForOptions = {},
): Promise<Opened> {
  const { trust, folder } = workspace;
  const home = settings.home.value;
  await workspace.close();
  if (!input.terminal.interactive) throw untrusted(trust);
  if (!(await requestTrust(await readWorkspace(folder, { home }), home, input.terminal))) throw untrusted(trust);
  return openFor(input, given);
}
