import type { AnyTool } from "../core/registry.ts";
import { type ExportProblem, fromModule, isTool } from "../sources/module.ts";
import type { HostModuleEntry, Placed, ToolsetEntry } from "./config-file.ts";
import { loadHostTool } from "./load-host-tools.ts";
import { importFile } from "./load-module.ts";
import type { LoadedModule } from "./load-plugin.ts";
import { loadToolset, type ToolsetPlaces } from "./load-toolset.ts";
import { resolveSelf } from "./resolve-self.ts";

/** Which tools are to be had from which code: plain data, so that any process can follow it. */
export type Recipe =
  | { readonly kind: "file"; readonly file: string }
  | {
      readonly kind: "toolset";
      readonly key: string;
      readonly placed: Placed<ToolsetEntry>;
      readonly places: ToolsetPlaces;
    }
  | { readonly kind: "host-tool"; readonly placed: Placed<HostModuleEntry> }
  | PluginRecipe;

/** A module that exports a plugin, and the folder of that. */
export interface PluginRecipe {
  readonly kind: "plugin";
  readonly file: string;
  readonly folder: string;
}

/** The tools of a recipe, and what was wrong with the others. */
export interface LoadedRecipe {
  readonly tools: readonly AnyTool[];
  readonly problems: readonly ExportProblem[];
  /** What each export of a file is. */
  readonly exports?: Readonly<Record<string, ExportKind>>;
  /** The plugin of a module; of its tools, those without a handler are the tools of the recipe. */
  readonly module?: LoadedModule;
}

/** A tool, a function with a schema beside it, or something else. */
export type ExportKind = "tool" | "function" | "other";

// What most processes do not hold is not loaded in them.
const plugins = () => import("./load-plugin.ts");

/** Runs the code of a recipe in this process. Rejects when it cannot be had as a whole. */
export async function loadRecipe(recipe: Recipe): Promise<LoadedRecipe> {
  resolveSelf();
  switch (recipe.kind) {
    case "file": {
      const exports = await importFile(recipe.file);
      return { ...(await fromModule(exports)), exports: kindsOf(exports) };
    }
    case "toolset":
      return loadToolset(recipe.key, recipe.placed, recipe.places);
    case "host-tool":
      return { tools: [await loadHostTool(recipe.placed)], problems: [] };
    case "plugin": {
      const module = await (await plugins()).loadPluginModule(recipe.file, recipe.folder);
      const tools = (module.plugin?.tools ?? []).filter((tool): tool is AnyTool => !("handler" in tool));
      return { tools, problems: [], module };
    }
  }
}

function kindsOf(exports: Readonly<Record<string, unknown>>): Record<string, ExportKind> {
  const kindOf = (name: string): ExportKind => {
    if (isTool(exports[name])) return "tool";
    return typeof exports[name] === "function" && Object.hasOwn(exports, `${name}Schema`) ? "function" : "other";
  };
  return Object.fromEntries(Object.keys(exports).map((name) => [name, kindOf(name)]));
}
