import type { Json } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf } from "../../core/error.ts";
import { canonicalJson } from "../../core/json.ts";
import type { PluginEntry } from "../../plugins/plugin-entry.ts";
import type { PluginView } from "../../plugins/plugin-view.ts";
import type { Plugins } from "../../plugins/plugins.ts";
import type { SwitchedOff } from "../../plugins/shelves.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { FoundPlugin } from "./discover.ts";
import type { CodePlace, RunningPlugin } from "./read-plugin.ts";
import { coerceSettings } from "./settings.ts";

/** A plugin as it is to be. */
export interface WantedPlugin {
  readonly found: FoundPlugin;
  readonly settings?: Json;
  readonly off?: SwitchedOff;
  /** Why it is not to be there. */
  readonly disabled?: string | undefined;
  /** The line that asks for it. */
  readonly enabledBy?: { readonly file: string; readonly line?: number } | undefined;
  /** Its code, if it is any, runs in this process. */
  readonly trusted?: boolean;
}

/** Keeps the plugins of a runtime in step with those of a workspace and of the person. */
export interface PluginBoard {
  /** What keeps folders from being plugins, why some were not taken, and what could not be changed. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * Takes up what is new or has changed and lets go of what is gone. A plugin that broke while it was being edited stays as
   * it was. Never rejects.
   */
  load(wanted: readonly WantedPlugin[], sandbox: Sandbox): Promise<void>;
}

interface Hung {
  readonly name: string;
  /** Tells it from another of the same name. */
  readonly file: string | undefined;
  readonly signature: string;
  readonly settings: Json;
  readonly off: SwitchedOff;
  /** Where its code runs, if it is any. */
  readonly sandbox: Sandbox | undefined;
  /** Nothing came of it or its code: it is tried again, and nothing is lost by that. */
  readonly broken?: boolean;
  release?(): void;
}

/** A plugin that takes the place of what was there. */
interface Change {
  readonly key: string;
  readonly next: Hung;
  readonly entry: PluginEntry;
}

/** Makes what keeps plugins in step. It knows only those that it added itself. */
export function createPluginBoard(plugins: Plugins): PluginBoard {
  const hung = new Map<string, Hung>();
  let diagnostics: readonly Diagnostic[] = [];

  async function drop(key: string): Promise<void> {
    const present = hung.get(key);
    if (!present) return;
    hung.delete(key);
    await plugins.remove(present.name, present.file);
    present.release?.();
  }

  /** What a plugin is to be, when that is something else than it is. */
  async function change(wanted: WantedPlugin, next: Hung, sandbox: Sandbox): Promise<Change> {
    const { found, disabled, enabledBy, trusted = false } = wanted;
    const { plugin, origin, diagnostics: read } = found.loaded!;
    const { settings, off } = next;
    const reason = disabled ?? (found.refused ? undefined : await prepare(found));
    const entry: PluginEntry = {
      plugin,
      origin: { ...origin, ...(enabledBy && { enabledBy }) },
      diagnostics: read,
      settings,
      off,
      ...(found.fill && { fill: found.fill }),
      ...(reason !== undefined && { disabled: reason }),
    };
    const key = found.folder.root;
    if (found.refused) return { key, next: { ...next, broken: true }, entry: { ...entry, refused: [found.refused] } };
    if (!found.code || reason !== undefined) return { key, next, entry };
    const onChange = (listener: () => void) => plugins.onChange(listener);
    const running = await runCode(found, { sandbox, trusted, onChange });
    const { release } = running;
    if (running.plugin) {
      const told = [...read, ...running.diagnostics];
      return { key, next: { ...next, release }, entry: { ...entry, plugin: running.plugin, diagnostics: told } };
    }
    return { key, next: { ...next, broken: true }, entry: { ...entry, refused: running.diagnostics } };
  }

  async function step(wanted: WantedPlugin, sandbox: Sandbox): Promise<Change | readonly Diagnostic[]> {
    const { found } = wanted;
    const key = found.folder.root;
    const present = hung.get(key);
    if (!found.loaded) return found.diagnostics;
    const next = toHung(wanted, sandbox);
    if (!present || present.broken || !isSamePlugin(present, next)) {
      const changed = await change(wanted, next, sandbox);
      return present && !present.broken && changed.entry.refused ? changed.entry.refused : changed;
    }
    hung.set(key, { ...present, ...next });
    try {
      if (!isSame(present.settings, next.settings)) await plugins.configure(next.name, next.settings);
      if (!isSame(present.off, next.off)) await plugins.switch(next.name, next.off);
      return [];
    } catch (error) {
      hung.set(key, present);
      return [{ severity: "error", code: "not_reloaded", message: messageOf(error), ...atManifest(found) }];
    }
  }

  return {
    get diagnostics() {
      return diagnostics;
    },
    async load(wanted, sandbox) {
      const keys = new Set(wanted.map(({ found }) => found.folder.root));
      for (const key of hung.keys()) if (!keys.has(key)) await drop(key);
      const steps = await Promise.all(wanted.map((one) => step(one, sandbox)));
      const changes = steps.filter((one): one is Change => "entry" in one);
      for (const { key } of changes) await drop(key);
      for (const { key, next } of changes) hung.set(key, next);
      // All at once, so that all are registered before the first is started.
      const views = await plugins.add(...changes.map(({ entry }) => entry));
      const refusals = new Map(changes.map((one, index) => [one, refusalOf(one.entry, views[index]!)]));
      // What was refused is looked at anew the next time: what stood in its way may be gone.
      for (const [{ key, next }, { length }] of refusals) if (length > 0) hung.set(key, { ...next, broken: true });
      diagnostics = steps.flatMap((one) => ("entry" in one ? refusals.get(one)! : one));
    },
  };
}

/** Why a plugin was not taken; nothing when it was. */
function refusalOf({ diagnostics: read = [] }: PluginEntry, view: PluginView): readonly Diagnostic[] {
  if (view.status !== "failed") return [];
  return view.diagnostics.filter((one) => one.severity === "error" && !read.includes(one));
}

async function runCode({ code, origin: { file } }: FoundPlugin, place: CodePlace): Promise<RunningPlugin> {
  try {
    return await code!.run(place);
  } catch (error) {
    const where = file === undefined ? {} : { file };
    return {
      diagnostics: [{ severity: "error", code: "not_loaded", message: messageOf(error), ...where }],
      release() {},
    };
  }
}

// Installing is what almost no plugin needs.
const installer = () => import("./install.ts");

/** Installs what a plugin depends on. Says why it cannot work without. */
async function prepare({ surroundings, folder }: FoundPlugin): Promise<string | undefined> {
  if (!surroundings) return undefined;
  try {
    await (await installer()).install(surroundings, folder);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function toHung(wanted: WantedPlugin, sandbox: Sandbox): Hung {
  const { found, settings = {}, off = {}, disabled, enabledBy, trusted } = wanted;
  return {
    name: found.loaded!.plugin.name,
    file: found.loaded!.origin.file,
    signature: JSON.stringify([found.signature, disabled, enabledBy, trusted]),
    settings: found.settings ? coerceSettings(settings, found.settings) : settings,
    off,
    sandbox: found.code && disabled === undefined ? sandbox : undefined,
  };
}

function isSamePlugin(a: Hung, b: Hung): boolean {
  return a.signature === b.signature && a.name === b.name && a.sandbox === b.sandbox;
}

function isSame(a: unknown, b: unknown): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

function atManifest({ origin: { file } }: FoundPlugin): Pick<Diagnostic, "file"> {
  return file === undefined ? {} : { file };
}
