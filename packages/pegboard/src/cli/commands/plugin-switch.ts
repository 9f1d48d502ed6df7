import { PegboardError } from "../../core/error.ts";
import { BUNDLED_NAMES, readBundled } from "../../node/plugins/bundled.ts";
import { toContents } from "../../node/plugins/contents.ts";
import { diffContents, type PluginChange } from "../../node/plugins/diff.ts";
import type { FoundPlugin } from "../../node/plugins/discover.ts";
import { noSuchPlugin } from "../../node/plugins/no-such-plugin.ts";
import { type Switched, switchPlugin, userSwitches, workspaceSwitches } from "../../node/plugins/switch-plugin.ts";
import { readWorkspace } from "../../node/read-workspace.ts";
import type { ComponentKind } from "../../plugins/shelves.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { needAgreement, showChanges, withRuns } from "../plugin-changes.ts";
import { toTarget, withTrust } from "../plugin-target.ts";

/** Switches a plugin on, or parts of it, in `pegboard.yaml` or for the person; shows what comes and asks. */
export async function pluginEnable(input: CommandInput): Promise<number> {
  return flip(input, true);
}

/** Switches a plugin off, or parts of it, in `pegboard.yaml` or for the person. */
export async function pluginDisable(input: CommandInput): Promise<number> {
  return flip(input, false);
}

const PARTS: readonly (readonly [option: string, kind: ComponentKind, word: PluginChange["kind"]])[] = [
  ["tool", "tools", "tool"],
  ["agent", "agents", "agent"],
  ["skill", "skills", "skill"],
  ["command", "commands", "command"],
  ["prompt", "prompts", "prompt"],
  ["resource", "resources", "resource"],
  ["mcpServer", "mcpServers", "MCP server"],
  ["hook", "hooks", "hook"],
];

async function flip(input: CommandInput, on: boolean): Promise<number> {
  const [plugin] = input.arguments as [string];
  const { options, terminal } = input;
  const target = toTarget(input);
  const { isUser, home, workspace } = target;
  const found = await find(plugin, workspace ?? target.store.base, home);
  if (on && !found.loaded)
    throw new PegboardError(
      "invalid_config",
      `The plugin "${plugin}" cannot be read; pegboard plugin info ${plugin} says why`,
    );
  const parts = PARTS.flatMap(([option, kind, word]) =>
    ((options[option] ?? []) as readonly string[]).map((name) => ({ kind, name, word })),
  );
  if (on) {
    const all = withRuns(diffContents(undefined, await toContents(found)), found);
    const chosen = parts.map(
      ({ name, word }): PluginChange =>
        all.find((one) => one.kind === word && one.name === name) ?? { change: "added", kind: word, name },
    );
    showChanges(input, `With this, ${plugin} brings:`, parts.length === 0 ? all : chosen);
    await needAgreement(input, `Enable it?`);
  }
  const switches = isUser ? userSwitches(home) : workspaceSwitches(workspace!);
  const wanted: readonly Switched[] =
    parts.length === 0 ? [{ plugin }] : parts.map(({ kind, name }) => ({ plugin, part: { kind, name } }));
  let changed = false;
  const trusted = await withTrust(target, () => {
    for (const one of wanted) changed = switchPlugin(switches, one, on) || changed;
  });
  const state = on ? "enabled" : "disabled";
  const what = parts.map(({ kind, name }) => ({ kind, name }));
  if (options.json)
    terminal.print(
      JSON.stringify({ name: plugin, [state]: true, changed, file: switches.file, parts: what, trusted }, null, 2),
    );
  else {
    const subject =
      parts.length === 0
        ? `The plugin "${plugin}"`
        : parts.map(({ word, name }) => `${word} ${name} of "${plugin}"`).join(", ");
    terminal.print(
      `${subject} ${parts.length > 1 ? "are" : "is"} ${state}${changed ? "" : " already"} in ${switches.file}`,
    );
  }
  return EXIT.done;
}

async function find(name: string, folder: string, home: string): Promise<FoundPlugin> {
  const { plugins } = await readWorkspace(folder, { home });
  const all = [...(plugins?.own ?? []), ...(plugins?.user ?? []), ...(await readBundled([name]))];
  const found = all.find((one) => one.name === name);
  if (found) return found;
  throw noSuchPlugin(name, [...all.map((one) => one.name), ...BUNDLED_NAMES]);
}
