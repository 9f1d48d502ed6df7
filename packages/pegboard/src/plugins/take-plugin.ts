import type { Plugin } from "@pegboard/contract";
import { type Diagnostic, describeDiagnostic } from "../core/diagnostic.ts";
import { messageOf } from "../core/error.ts";
import type { PluginOrigin } from "./loaded-plugin.ts";
import type { PluginEntry } from "./plugin-entry.ts";
import { type LifeDeps, PluginLife } from "./plugin-life.ts";
import type { PluginView } from "./plugin-view.ts";
import { qualify } from "./qualify.ts";
import { snapshot } from "./snapshot.ts";
import { checkPlugin } from "./validate.ts";

/** What becomes of a plugin that is to be added: it lives, or it is refused. */
export type Taken = { readonly life: PluginLife } | { readonly refused: PluginView };

const OWN: PluginOrigin = { format: "module" };

/** Takes a plugin that is well-formed and whose name nobody has: `originOf` tells whose it is. Never throws. */
export function takePlugin(
  entry: PluginEntry,
  deps: LifeDeps,
  originOf: (name: string) => PluginOrigin | undefined,
): Taken {
  const { origin = OWN, diagnostics = [], refused = [] } = entry;
  const { plugin, problems } = readPlugin(entry.plugin, origin);
  const errors = [...refused, ...problems].filter(({ severity }) => severity === "error");
  const found = [...diagnostics, ...problems.filter(({ severity }) => severity !== "error")];
  const present = errors.length === 0 ? originOf(plugin.name) : undefined;
  if (present) errors.push(toDuplicate(plugin.name, origin, present));
  if (errors.length > 0) return { refused: toRefused(plugin, origin, errors, found) };
  return { life: new PluginLife({ ...entry, plugin: qualify(plugin), origin, diagnostics: found }, deps) };
}

/** A plugin as it is now, and what is wrong with it. Never throws. */
function readPlugin(given: unknown, { file }: PluginOrigin): { plugin: Plugin; problems: readonly Diagnostic[] } {
  try {
    const plugin = snapshot(given);
    return { plugin: Object(plugin) as Plugin, problems: checkPlugin(plugin, file) };
  } catch (error) {
    const message = `The plugin cannot be read: ${messageOf(error)}`;
    const where = file === undefined ? {} : { file };
    return { plugin: {} as Plugin, problems: [{ severity: "error", code: "invalid_definition", message, ...where }] };
  }
}

/** A plugin that was not taken, so that people see why. */
function toRefused(
  plugin: Plugin,
  origin: PluginOrigin,
  errors: readonly Diagnostic[],
  others: readonly Diagnostic[],
): PluginView {
  const { name, version } = plugin;
  return Object.freeze({
    name: typeof name === "string" ? name : "",
    version: typeof version === "string" ? version : "",
    status: "failed",
    reason: errors.map(describeDiagnostic).join("\n"),
    activation: "always",
    origin,
    components: [],
    diagnostics: [...others, ...errors],
  });
}

/** That a plugin's name is taken. */
function toDuplicate(name: string, origin: PluginOrigin, present: PluginOrigin): Diagnostic {
  const where = ({ file, folder }: PluginOrigin) => file ?? folder ?? "the host program";
  return {
    severity: "error",
    code: "duplicate",
    message: `There are two plugins "${name}": the one of ${where(present)} stays, the one of ${where(origin)} is not taken`,
    ...(origin.file !== undefined && { file: origin.file }),
    fix: "remove one of them, or give it another name",
  };
}
