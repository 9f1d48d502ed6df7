import type { AgentSource } from "../../agents/agent-source.ts";
import type { AgentEntry } from "../../agents/catalog.ts";
import { describeDiagnostic, type Diagnostic } from "../../core/diagnostic.ts";
import { lintAgent } from "../../node/agents/lint-agent.ts";
import type { Workspace } from "../../node/workspace.ts";
import type { Listing } from "../listing.ts";
import type { Cell } from "../table.ts";
import { type Terminal, visible, visibleLine } from "../terminal.ts";

/** Lists agents, and says what is odd about them that opening the workspace has not said. */
export async function listAgents(workspace: Workspace, terminal: Terminal): Promise<Listing> {
  const entries = await workspace.agents.list();
  const agents = entries.map((entry) => ({ ...entry, diagnostics: diagnosticsOf(entry, workspace) }));
  const said = new Set(workspace.diagnostics.map(describeDiagnostic));
  const news = agents.flatMap(({ diagnostics }) => diagnostics).filter((one) => !said.has(describeDiagnostic(one)));
  for (const diagnostic of news) terminal.warn(`${diagnostic.severity}: ${visible(describeDiagnostic(diagnostic))}`);
  return {
    json: { agents: agents.map(toView) },
    rows: agents.map((entry) => toRow(entry, terminal)),
    odd: news.length > 0,
  };
}

// What a workspace that is not trusted would bring is not on the board: nothing can be said about its names.
function diagnosticsOf({ agent, source: { file, plugin }, diagnostics = [] }: AgentEntry, workspace: Workspace) {
  return [...diagnostics, ...(workspace.held.length > 0 ? [] : lintAgent({ agent, file, plugin }, workspace.tools))];
}

type Listed = AgentEntry & { readonly diagnostics: readonly Diagnostic[] };

function toView({ name, agent, source, shadows, held, diagnostics }: Listed) {
  const { description, model, tools, promptTools, toolsets } = agent;
  return {
    name,
    description,
    source,
    ...(model !== undefined && { model }),
    ...(tools && { tools }),
    ...(promptTools && { promptTools: promptTools.map((tool) => tool.name) }),
    ...(toolsets && { toolsets: Object.keys(toolsets) }),
    ...(shadows.length > 0 && { shadows }),
    ...(held && { held }),
    ...(diagnostics.length > 0 && { diagnostics }),
  };
}

function toRow({ name, agent, source, shadows, held }: Listed, { style }: Terminal): readonly Cell[] {
  const notes = [
    ...(held ? ["(not trusted)"] : []),
    ...(shadows.length > 0 ? [`(shadows ${shadows.map(describeSource).join(", ")})`] : []),
  ];
  return [
    { text: name, show: (text) => style("bold", text) },
    { text: describeSource(source), show: (text) => (held ? style("yellow", text) : text) },
    { text: visibleLine(agent.model ?? "-") },
    { text: visibleLine(describeTools(agent)) },
    {
      text: visibleLine([...notes, agent.description.split("\n", 1)[0]!].join(" ")),
      show: (text) => style("dim", text),
    },
  ];
}

function describeSource({ layer, plugin }: AgentSource): string {
  return plugin === undefined ? layer : `${layer} ${plugin}`;
}

function describeTools({ tools, promptTools = [], toolsets = {} }: AgentEntry["agent"]): string {
  const own = [...promptTools.map(({ name }) => name), ...Object.keys(toolsets)];
  if (!tools) return own.length === 0 ? "all" : `all, ${own.join(", ")}`;
  return [...tools, ...own].join(", ") || "none";
}
