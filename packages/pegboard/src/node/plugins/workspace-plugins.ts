import { join } from "node:path";
import type { Json } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { nearest } from "../../core/nearest.ts";
import type { SwitchedOff } from "../../plugins/shelves.ts";
import type { Config } from "../config-file.ts";
import { dataFolder, LOCK_FILE, PLUGINS_FOLDER } from "../places.ts";
import { BUNDLED_NAMES, readBundled } from "./bundled.ts";
import type { CommandPluginDeps } from "./command-plugin.ts";
import { describeRuns } from "./describe-runs.ts";
import { checkLock } from "./check-lock.ts";
import { discoverPlugins, type FoundPlugin } from "./discover.ts";
import { joinOff, type OwnSwitches, readOwnSwitches } from "./own-switches.ts";
import type { WantedPlugin } from "./plugin-board.ts";
import { readStoredSettings } from "./stored-settings.ts";

/** The plugins of a workspace and of the person. */
export interface WorkspacePlugins {
  /** Those that lie in the workspace: they run only when it is trusted. */
  readonly own: readonly FoundPlugin[];
  /** Those of the person. */
  readonly user: readonly FoundPlugin[];
  /** Those that come with Pegboard, as far as the workspace asks for them. */
  readonly bundled: readonly FoundPlugin[];
  /** What of those in the workspace would run, in words. */
  readonly runs: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Where plugins are looked for. */
export interface PluginPlaces extends Pick<CommandPluginDeps, "sandbox"> {
  /** Undefined where there is no workspace. */
  readonly folder: string | undefined;
  readonly home: string;
  /** The names that the workspace gives to models. */
  readonly models?: readonly string[];
  /** The plugins that the workspace asks for by name. */
  readonly enabled?: readonly string[];
}

/** Reads all plugins of a workspace and of the person. Runs nothing. */
export async function readPlugins(places: PluginPlaces): Promise<WorkspacePlugins> {
  const { folder, home, sandbox, models = [], enabled = [] } = places;
  const inPlace = async (base: string, environments: string, around?: string) => {
    const place = join(base, PLUGINS_FOLDER);
    const discovery = await discoverPlugins(place, {
      sandbox,
      environments: join(environments, "plugin-environments"),
      models,
      ...(folder !== undefined && { project: folder }),
      ...(around !== undefined && { around }),
    });
    return checkLock(place, join(base, LOCK_FILE), discovery);
  };
  const user = await inPlace(home, home);
  const own = folder === undefined ? undefined : await inPlace(folder, dataFolder(folder), folder);
  // Whoever has a plugin of such a name means that one.
  const taken = [...user.plugins, ...(own?.plugins ?? [])].map(({ name }) => name);
  return {
    own: own?.plugins ?? [],
    user: user.plugins,
    bundled: await readBundled(enabled.filter((name) => !taken.includes(name))),
    runs: own?.plugins.flatMap(describeRuns) ?? [],
    diagnostics: [...user.diagnostics, ...(own?.diagnostics ?? [])],
  };
}

/** What counts when plugins are wanted. */
export interface PluginWishes {
  readonly config: Config | undefined;
  readonly home: string;
  /** Whether what is in the workspace may run. */
  readonly runs: boolean;
}

/** How the plugins are to be. What a workspace that is not trusted says about plugins does not count. */
export function toWanted({ own, user, bundled }: WorkspacePlugins, wishes: PluginWishes): readonly WantedPlugin[] {
  const { config, runs, home } = wishes;
  const given = { home, switches: readOwnSwitches(home) };
  // The person's own come first: a workspace must not take their names away.
  return [
    ...user.map((found) => want(found, runs ? config : undefined, given)),
    ...[...own, ...bundled].map((found) => ({
      ...want(found, config, given),
      ...(!runs && { disabled: "the workspace is not trusted" }),
    })),
  ];
}

interface OwnWishes {
  readonly home: string;
  readonly switches: OwnSwitches;
}

function want(found: FoundPlugin, config: Config | undefined, { home, switches }: OwnWishes): WantedPlugin {
  const { enabled = [], disabled = [], off = {}, trusted = [] } = config?.plugins ?? {};
  const { name } = found;
  const at = (key: string, index: number) => ({ file: config!.file, line: config!.lineOf(`/plugins/${key}/${index}`) });
  const isOff = disabled.indexOf(name);
  const isOn = enabled.indexOf(name);
  const own = switches.disabled.indexOf(name);
  const mine = { file: switches.file, line: switches.lineOf(`/disabled/${own}`) };
  const where = own >= 0 ? mine : isOff < 0 ? undefined : at("disabled", isOff);
  return {
    found,
    settings: settingsOf(found, config, home),
    off: joinOff(ownEntry(off, name), ownEntry(switches.off, name)),
    ...(where && { disabled: `switched off in ${where.file}:${where.line}` }),
    ...(isOn >= 0 && { enabledBy: at("enabled", isOn) }),
    trusted: trusted.includes(name),
  };
}

/** The settings that a person keeps for a plugin, and over them those that a workspace writes. */
export function settingsOf(
  found: Pick<FoundPlugin, "name" | "folder">,
  config: Config | undefined,
  home: string,
): Readonly<Record<string, Json>> {
  const { settings = {} } = config?.plugins ?? {};
  const written = Object.hasOwn(settings, found.name) ? settings[found.name] : {};
  return { ...readStoredSettings(home, found), ...(written as Record<string, Json>) };
}

function ownEntry(off: Readonly<Record<string, SwitchedOff>>, name: string): SwitchedOff {
  return Object.hasOwn(off, name) ? off[name]! : {};
}

/** What a configuration says about plugins that are not there. */
export function unknownPlugins({ own, user }: WorkspacePlugins, { file, plugins, lineOf }: Config): Diagnostic[] {
  const names = [...own.map(({ name }) => name), ...user.map(({ name }) => name), ...BUNDLED_NAMES];
  const mentioned = [
    ...plugins.enabled.map((name, index) => [name, `/plugins/enabled/${index}`] as const),
    ...plugins.disabled.map((name, index) => [name, `/plugins/disabled/${index}`] as const),
    ...plugins.trusted.map((name, index) => [name, `/plugins/trusted/${index}`] as const),
    ...Object.keys(plugins.settings).map((name) => [name, `/plugins/settings/${name}`] as const),
    ...Object.keys(plugins.off).map((name) => [name, `/plugins/off/${name}`] as const),
  ];
  return mentioned
    .filter(([name]) => !names.includes(name))
    .map(([name, pointer]) => {
      const near = nearest(name, names);
      const message = `${pointer}: there is no plugin "${name}"${near ? `, did you mean "${near}"?` : ""}`;
      return { severity: "warning", code: "unknown_plugin", message, file, line: lineOf(pointer) };
    });
}
