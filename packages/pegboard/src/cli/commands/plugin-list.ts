import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { type ListedPlugin, listPlugins } from "../plugin-listing.ts";
import { type Cell, toLines } from "../table.ts";
import { type Style, type Terminal, visibleLine } from "../terminal.ts";
import { closeWorkspace, openFor } from "../workspace.ts";

/** Lists the plugins of the workspace and of the person, and how each does. */
export async function pluginList(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const opened = await openFor(input, { readOnly: true });
  try {
    const plugins = (await listPlugins(opened)).map(({ listed }) => listed);
    if (options.json) terminal.print(JSON.stringify({ plugins }, null, 2));
    else
      for (const line of toLines(
        plugins.map((one) => toRow(one, terminal)),
        terminal.columns,
      ))
        terminal.print(line);
    if (plugins.length === 0) terminal.note("There is no plugin. Add one with: pegboard plugin add <path>");
    return opened.tooStrict ? EXIT.failed : EXIT.done;
  } finally {
    await closeWorkspace(opened.workspace, terminal);
  }
}

/** How a status is shown. */
export const STATUS_STYLES: Readonly<Record<ListedPlugin["status"], Style>> = {
  healthy: "green",
  degraded: "yellow",
  failed: "red",
  disabled: "dim",
};

function toRow(plugin: ListedPlugin, { style }: Terminal): readonly Cell[] {
  const { name, version = "-", status, reason, place, installed, components } = plugin;
  const how = installed === "bundled" ? "bundled" : `${place}, ${HOW[installed]}`;
  const what = reason ?? describeComponents(components);
  return [
    { text: visibleLine(name), show: (text) => style("bold", text) },
    { text: visibleLine(version) },
    { text: status, show: (text) => style(STATUS_STYLES[status], text) },
    { text: how },
    { text: visibleLine(what), show: (text) => style("dim", text) },
  ];
}

const HOW = { added: "locked", linked: "linked, not locked", own: "own" } as const;

function describeComponents(components: ListedPlugin["components"]): string {
  const counts = new Map<string, number>();
  for (const { kind, off } of components) if (!off) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Array.from(counts, ([kind, count]) => `${count} ${kind}`).join(", ");
}
