import { describeDiagnostic } from "../../core/diagnostic.ts";
import { noSuchPlugin } from "../../node/plugins/no-such-plugin.ts";
import { pluginRuns } from "../../node/plugins/plugin-runs.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { type FoundListed, listPlugins } from "../plugin-listing.ts";
import { settingViews } from "../plugin-settings.ts";
import { toLines } from "../table.ts";
import { type Terminal, visible, visibleLine } from "../terminal.ts";
import { closeWorkspace, openFor } from "../workspace.ts";
import { STATUS_STYLES } from "./plugin-list.ts";

/** Shows one plugin whole: how it does, where it comes from, what it brings, what it would run, which settings it has. */
export async function pluginInfo(input: CommandInput): Promise<number> {
  const [name] = input.arguments as [string];
  const { options, terminal } = input;
  const opened = await openFor(input, { readOnly: true });
  try {
    const one = findPlugin(await listPlugins(opened), name);
    const settings = await settingViews(one, opened);
    const runs = pluginRuns(one.found);
    if (options.json) terminal.print(JSON.stringify({ ...one.listed, runs, settings }, null, 2));
    else show(one, { terminal, runs, settings });
    return EXIT.done;
  } finally {
    await closeWorkspace(opened.workspace, terminal);
  }
}

/** The plugin of a name. Throws `not_found` and says which one was meant. */
export function findPlugin(plugins: readonly FoundListed[], name: string): FoundListed {
  const found = plugins.find(({ listed }) => listed.name === name);
  if (found) return found;
  throw noSuchPlugin(
    name,
    plugins.map(({ listed }) => listed.name),
  );
}

interface Shown {
  readonly terminal: Terminal;
  readonly runs: ReturnType<typeof pluginRuns>;
  readonly settings: Awaited<ReturnType<typeof settingViews>>;
}

function show({ listed }: FoundListed, { terminal, runs, settings }: Shown): void {
  const {
    name,
    version = "",
    description,
    status,
    reason,
    origin,
    installed,
    locked,
    source,
    resolved,
    digest,
  } = listed;
  const { style } = terminal;
  const line = (title: string, text: string | undefined) => {
    if (text) terminal.print(`${title.padEnd(12)} ${visibleLine(text)}`);
  };
  terminal.print(`${style("bold", visibleLine(name))} ${visibleLine(version)}`);
  line("", description);
  terminal.print(
    `${"status".padEnd(12)} ${style(STATUS_STYLES[status], status)}${reason ? `: ${visibleLine(reason)}` : ""}`,
  );
  line("format", origin.format);
  line("folder", origin.folder);
  line("installed", `${installed}, ${locked ? "locked" : "not locked"}`);
  line("source", resolved ?? source);
  line("digest", digest);
  line("enabled by", origin.enabledBy && `${origin.enabledBy.file}:${origin.enabledBy.line ?? 1}`);
  const parts = listed.components.map(({ kind, name: part, off }) => [
    { text: `  ${kind}` },
    { text: visibleLine(part) },
    { text: off ? "off" : "" },
  ]);
  part(terminal, "brings", toLines(parts));
  part(
    terminal,
    "runs",
    runs.map(({ kind, name: one, what }) => `  ${visibleLine(`${kind} ${one}: ${what}`)}`),
  );
  const rows = settings.map(({ key, value, from, missing }) => [
    { text: `  ${visibleLine(key)}` },
    { text: missing ? "missing" : visibleLine(JSON.stringify(value) ?? "-") },
    { text: visibleLine(from ?? "") },
  ]);
  part(terminal, "settings", toLines(rows));
  for (const diagnostic of listed.diagnostics)
    terminal.note(`${diagnostic.severity}: ${visible(describeDiagnostic(diagnostic))}`);
}

function part(terminal: Terminal, title: string, lines: readonly string[]): void {
  if (lines.length === 0) return;
  terminal.print(title);
  for (const line of lines) terminal.print(line);
}
