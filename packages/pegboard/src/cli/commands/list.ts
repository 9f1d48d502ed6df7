import { PegboardError } from "../../core/error.ts";
import type { ToolSource } from "../../core/registry.ts";
import type { ToolView } from "../../core/tool-view.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import type { Listing } from "../listing.ts";
import { type Cell, toLines } from "../table.ts";
import { type Terminal, visibleLine } from "../terminal.ts";
import { closeWorkspace, openFor } from "../workspace.ts";

const LISTS = ["tools", "toolsets", "agents", "skills", "commands"];

/** Lists tools, where they come from, agents, skills or commands. A workspace that is not trusted is listed, never run. */
export async function list(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
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

function listTools(tools: readonly ToolView[], terminal: Terminal): Listing {
  return { json: { tools }, rows: tools.map((tool) => toolRow(tool, terminal)) };
}

function listToolsets(tools: readonly ToolView[], terminal: Terminal): Listing {
  const groups = Map.groupBy(tools, ({ source: { kind, id, file } }) => JSON.stringify([kind, id, file]));
  const toolsets = Array.from(groups.values(), (group) => ({
    ...group[0]!.source,
    tools: group.map(({ name }) => name),
  }));
  return { json: { toolsets }, rows: toolsets.map((toolset) => toolsetRow(toolset, terminal)) };
}

function toolRow({ name, approval, description, shadows }: ToolView, { style }: Terminal): readonly Cell[] {
  const hides = shadows
    ? `(shadows ${shadows.map(({ kind, id }) => (kind === "builtin" ? kind : `${kind} ${id}`)).join(", ")}) `
    : "";
  return [
    { text: name, show: (text) => style("bold", text) },
    { text: approval, show: (text) => style(approval === "preApproved" ? "green" : "yellow", text) },
    { text: `${hides}${visibleLine(description.split("\n", 1)[0]!)}`, show: (text) => style("dim", text) },
  ];
}

function toolsetRow(
  { kind, id, file, tools }: ToolSource & { readonly tools: readonly string[] },
  { style }: Terminal,
): readonly Cell[] {
  return [
    { text: visibleLine(id), show: (text) => style("bold", text) },
    { text: kind },
    { text: `${tools.length} ${tools.length === 1 ? "tool" : "tools"}` },
    { text: visibleLine(file ?? ""), show: (text) => style("dim", text) },
  ];
}
