import { existsSync } from "node:fs";
import { toLimits } from "../../core/limits.ts";
import { dataFolder } from "../../node/places.ts";
import { policyFile } from "../../node/policy-file.ts";
import { type Reading, readWorkspace } from "../../node/read-workspace.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { type Setting, type Settings, toSettings } from "../settings.ts";
import { toLines } from "../table.ts";
import { visibleLine } from "../terminal.ts";

/** Shows the settings that hold, and where each comes from. Nothing of the workspace runs. */
export async function configShow({ options, terminal }: CommandInput): Promise<number> {
  const settings = toSettings(options);
  const reading = await readWorkspace(settings.workspace.value, {
    home: settings.home.value,
    trust: settings.trust.value,
  });
  const shown = toShown(settings, reading);
  const rules = countRules(reading, settings.home.value);
  if (options.json) {
    terminal.print(JSON.stringify({ ...shown, rules }, null, 2));
    return EXIT.done;
  }
  const withOrigin = (origin: string) =>
    options["origins"] === true
      ? [{ text: visibleLine(origin), show: (text: string) => terminal.style("dim", text) }]
      : [];
  const rows = [
    ...Object.entries(shown).map(([name, { value, origin }]) => [
      { text: name, show: (text: string) => terminal.style("bold", text) },
      { text: visibleLine(String(value)) },
      ...withOrigin(origin),
    ]),
    ...rules.map(({ file, count }) => [
      { text: "rules", show: (text: string) => terminal.style("bold", text) },
      { text: String(count) },
      { text: visibleLine(file) },
    ]),
  ];
  for (const line of toLines(rows)) terminal.print(line);
  return EXIT.done;
}

function toShown(settings: Settings, reading: Reading): Readonly<Record<string, Setting<string | number | boolean>>> {
  const { workspace, home, trust, approve, timeoutMs } = settings;
  const { config, limits } = reading;
  const effective = toLimits({ ...limits, ...(timeoutMs.value !== undefined && { timeoutMs: timeoutMs.value }) });
  const inFile = (pointer: string) => (config ? `${config.file}:${config.lineOf(pointer)}` : "default");
  return {
    workspace,
    home,
    data: { value: dataFolder(workspace.value), origin: process.env["PEGBOARD_DATA"] ? "PEGBOARD_DATA" : "default" },
    trusted: trust.value
      ? trust
      : { value: reading.trust.trusted, origin: reading.trust.trusted ? "trust.json" : "default" },
    approve: { value: approve.value ?? "ask on a terminal, else none", origin: approve.origin },
    timeout: {
      value: `${effective.timeoutMs / 1000}s`,
      origin:
        timeoutMs.value !== undefined
          ? timeoutMs.origin
          : limits.timeoutMs !== undefined
            ? inFile("/limits/timeout")
            : "default",
    },
    depth: { value: effective.depth, origin: limits.depth !== undefined ? inFile("/limits/depth") : "default" },
    policyDefault: toPolicyDefault(reading),
  };
}

// Both files count, and the stricter word wins.
function toPolicyDefault({ config, user, policy }: Reading): Setting<string> {
  const value = policy.default ?? "ask";
  if (config?.policy.default === value) return { value, origin: `${config.file}:${config.lineOf("/policy/default")}` };
  if (user?.policy.default === value) return { value, origin: `${user.file}:${user.lineOf("/default")}` };
  return { value, origin: "default" };
}

function countRules(
  { config, policy }: Reading,
  home: string,
): readonly { readonly file: string; readonly count: number }[] {
  const files = [policyFile(home), ...(config ? [config.file] : [])].filter((file) => existsSync(file));
  return files.map((file) => ({
    file,
    count: (policy.rules ?? []).filter(({ origin }) => origin?.file === file).length,
  }));
}
