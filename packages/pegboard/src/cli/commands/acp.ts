import { statSync } from "node:fs";
import { PegboardError } from "../../core/error.ts";
import { findWorkspace } from "../../node/places.ts";
import { serveAcpLines } from "../../node/serve/acp-lines.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { openServed } from "../open-served.ts";
import { withLineClient } from "../serve-lines.ts";
import { toSettings } from "../settings.ts";
import { visible } from "../terminal.ts";
import { closeWorkspace, type Opened } from "../workspace.ts";

/** Serves one editor until it is gone, or the process is told to end. */
export async function acp(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const [agent] = input.arguments as [string];
  const { workspace: found, approve } = toSettings(options);
  // An editor starts one process for all of its folders, unless the person has named the workspace.
  const isNamed = options.workspace !== undefined || found.origin === "PEGBOARD_WORKSPACE";
  const all = new Map<string, Promise<Opened>>();

  async function workspaceOf(cwd?: string) {
    if (cwd !== undefined && !statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
      throw new PegboardError("invalid_config", `There is no folder ${cwd} to work in`);
    const folder = isNamed || cwd === undefined ? found.value : (findWorkspace(cwd) ?? cwd);
    const opening = all.get(folder) ?? openServed({ ...input, options: { ...options, workspace: folder } });
    all.set(folder, opening);
    // The next session may find it mended.
    opening.catch(() => all.delete(folder));
    return (await opening).workspace;
  }

  try {
    await withLineClient(terminal, (client) =>
      serveAcpLines(workspaceOf, {
        ...client,
        agent,
        warn: (message) => terminal.warn(`warning: ${visible(message)}`),
        ...(approve.value && approve.value !== "ask" && { approve: approve.value }),
      }),
    );
    return EXIT.done;
  } finally {
    for (const opening of await Promise.allSettled(all.values()))
      if (opening.status === "fulfilled") await closeWorkspace(opening.value.workspace, terminal);
  }
}
