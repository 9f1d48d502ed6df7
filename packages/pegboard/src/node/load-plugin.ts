import { dirname } from "node:path";
import type { Plugin } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import { PegboardError } from "../core/error.ts";
import { snapshot } from "../plugins/snapshot.ts";
import { checkPlugin } from "../plugins/validate.ts";
import { importFile } from "./load-module.ts";

/** The plugin that a module exports. With an error among the diagnostics there is none. */
export interface LoadedModule {
  readonly plugin?: Plugin;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Runs a module of a folder in this process, both as they are now, and takes the plugin that it exports: its default export, else the one called `plugin`; a
 * promise is waited for. Rejects when the module cannot be imported, or when it changed what all code shares; only one at a
 * time may be loaded, so that it is known which did.
 */
export async function loadPluginModule(file: string, folder: string): Promise<LoadedModule> {
  const untouched = watchPrototypes();
  const value = await toPlugin(await importModule(file, folder));
  const touched = untouched();
  if (touched.length > 0)
    throw new PegboardError(
      "invalid_definition",
      `${file} changed what all code shares, and is not loaded: it added ${touched.join(", ")}`,
    );
  const plugin = snapshot(value);
  const diagnostics = checkPlugin(plugin, file);
  return diagnostics.some(({ severity }) => severity === "error") ? { diagnostics } : { plugin, diagnostics };
}

async function importModule(file: string, folder: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await importFile(file, folder);
  } catch (error) {
    const { cause, message } = error as Error;
    if ((cause as NodeJS.ErrnoException | undefined)?.code !== "ERR_MODULE_NOT_FOUND") throw error;
    const fix = `If it is a package, install it with: npm install --ignore-scripts --prefix ${dirname(file)} <package>`;
    throw new PegboardError("unavailable", `${message}. ${fix}`, { cause });
  }
}

/** What Node adds to the exports of a CommonJS module. */
const COMMON_JS = "module.exports";

async function toPlugin(exports: Readonly<Record<string, unknown>>): Promise<unknown> {
  if (!(COMMON_JS in exports)) return exports["default"] ?? exports["plugin"];
  const exported: unknown = exports[COMMON_JS];
  const { default: preferred, plugin } = Object(exported) as { readonly default?: unknown; readonly plugin?: unknown };
  return preferred ?? plugin ?? exported;
}

const SHARED = { Object, Array, Function, String, Number, Boolean, Promise, Map, Set, RegExp, Error };

/** Remembers what all code shares. The function says what was added since, and takes that away again. */
function watchPrototypes(): () => readonly string[] {
  const before = Object.values(SHARED).map(({ prototype }) => new Set(Reflect.ownKeys(prototype)));
  return () =>
    Object.entries(SHARED).flatMap(([name, { prototype }], index) => {
      const added = Reflect.ownKeys(prototype).filter((key) => !before[index]!.has(key));
      for (const key of added) Reflect.deleteProperty(prototype, key);
      return added.map((key) => `${name}.prototype.${String(key)}`);
    });
}
