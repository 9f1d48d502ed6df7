import { PegboardError } from "../../core/error.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import type { Listing } from "../listing.ts";
import { toLines } from "../table.ts";
import { visibleLine } from "../terminal.ts";
import { listTools, listToolsets } from "../tool-listing.ts";
import { closeWorkspace, openFor } from "../workspace.ts";

const LISTS = ["tools", "toolsets", "agents", "skills", "commands"];

/** Lists tools, where they come from, agents, skills or commands. A workspace that is not trusted is listed, never run. */
export async function list(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  if (options["server"] !== undefined) return (await import("../remote/list.ts")).listAtServer(input);
  const what = String(input.arguments[0]);
  if (!LISTS.includes(what))
    throw new PegboardError("invalid_config", `There is no list of "${what}"; there are ${LISTS.join(", ")}`);
  const { workspace, tooStrict } = await openFor(input);
  try {
    const { json, rows, odd = false } = await listing();
    if (options.json) terminal.print(JSON.stringify(json, null, 2));
    else for (const line of toLines(rows, terminal.columns)) terminal.print(line);
    if (workspace.file === undefined)
      terminal.note("There is no pegboard.yaml here, nor above. Make a workspace with: pegboard init");
    if (workspace.held.length > 0) {
      terminal.note(
        `Not loaded, because this workspace is not trusted: ${visibleLine(workspace.held.join(", "))}. Look at it and run: pegboard trust`,
      );
    }
    return tooStrict || (odd && options.strict) ? EXIT.failed : EXIT.done;
  } finally {
    await closeWorkspace(workspace, terminal);
  }

  async function listing(): Promise<Listing> {
    if (what === "agents") return (await import("./list-agents.ts")).listAgents(workspace, terminal);
    if (what === "skills") return (await import("./list-shelves.ts")).listSkills(workspace.skills, terminal);
    if (what === "commands") return (await import("./list-shelves.ts")).listCommands(workspace.commands, terminal);
    return listBoard(what);
  }

  function listBoard(part: string): Listing {
    const session = workspace.open({ as: options["as"] === "model" ? "model" : "user", client: "cli" });
    return part === "tools" ? listTools(session.list(), terminal) : listToolsets(session.list(), terminal);
  }
}
