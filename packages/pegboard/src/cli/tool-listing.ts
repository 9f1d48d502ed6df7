import type { ToolSource } from "../core/registry.ts";
import type { ToolView } from "../core/tool-view.ts";
import type { Listing } from "./listing.ts";
import type { Cell } from "./table.ts";
import { type Terminal, visibleLine } from "./terminal.ts";

/** The tools as they are listed. */
export function listTools(tools: readonly ToolView[], terminal: Terminal): Listing {
  return { json: { tools }, rows: tools.map((tool) => toolRow(tool, terminal)) };
}

/** Where tools come from, with how many each brings. */
export function listToolsets(tools: readonly ToolView[], terminal: Terminal): Listing {
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
