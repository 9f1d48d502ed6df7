import { basename } from "node:path";
import type { Plugin } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf, PegboardError } from "../../core/error.ts";
import { inTime } from "../../plugins/in-time.ts";
import type { LoadedPlugin, PluginOrigin } from "../../plugins/loaded-plugin.ts";
import { parseJsonFile } from "../../plugins/json-file.ts";
import { filesBelow } from "../files-below.ts";
import { loadRecipe, type PluginRecipe } from "../load-recipe.ts";
import { toRemotePlugin } from "../sandbox/remote-plugin.ts";
import { stamp } from "../stamp.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import type { CodePlace, ReadPlugin, RunningPlugin } from "./read-plugin.ts";
import { toReport } from "./report.ts";

/** The files that are the module of a plugin where no `package.json` names another. */
const MODULE_FILES: readonly string[] = ["index.ts", "index.mts", "index.js", "index.mjs"];

/** The file that can name the module. */
const PACKAGE_FILE = "package.json";

/**
 * Reads a folder with a module that exports a plugin. What the plugin is shows only when its code runs: until then it has
 * the name of its folder and brings nothing. Runs nothing and never rejects.
 */
export async function readModulePlugin(folder: PluginFolder): Promise<ReadPlugin> {
  const name = basename(folder.root);
  const { version, entry } = await readPackage(folder);
  const path = entry ?? (await firstModule(folder));
  const file = folder.absolute(path ?? PACKAGE_FILE);
  const origin: PluginOrigin = { format: "module", folder: folder.root, file };
  const problem = await problemWith(folder, path);
  const diagnostics: readonly Diagnostic[] =
    problem === undefined ? [] : [{ severity: "error", code: "not_read", message: problem, file }];
  const loaded = problem === undefined;
  const reports = [
    toReport(file, { kind: "plugin", format: "module" }, { loaded, item: { name }, fields: [], diagnostics }),
  ];
  if (!loaded) return { name, origin, diagnostics, reports };
  const known = { ...origin, digest: folder.digest() };
  return {
    name,
    origin: known,
    loaded: { plugin: notRun(name, version), origin: known, diagnostics, reports } satisfies LoadedPlugin,
    code: { run: (place) => run(name, file, folder.root, place) },
    diagnostics,
    reports,
  };
}

/** The version and the module that a `package.json` names; one that cannot be read names none. */
async function readPackage(folder: PluginFolder): Promise<{ readonly version: string; readonly entry?: string }> {
  const text = await folder.read(PACKAGE_FILE).catch(() => undefined);
  const { value } = parseJsonFile(text ?? "{}", PACKAGE_FILE);
  const { version, main, exports } = Object(value) as Readonly<Record<string, unknown>>;
  const entry = [toEntry(exports), main].find((one) => typeof one === "string");
  return {
    version: typeof version === "string" && version !== "" ? version : "0.0.0",
    ...(entry !== undefined && { entry: (entry as string).replace(/^\.\//, "") }),
  };
}

function toEntry(exports: unknown): unknown {
  if (typeof exports !== "object" || exports === null) return exports;
  const conditions = exports as Readonly<Record<string, unknown>>;
  return toEntry(conditions["."] ?? conditions["import"] ?? conditions["default"]);
}

async function firstModule(folder: PluginFolder): Promise<string | undefined> {
  for (const path of MODULE_FILES) if ((await folder.typeOf(path)) === "file") return path;
  return undefined;
}

/** What keeps a path from being the module of a plugin. What is read here counts for the digest. */
async function problemWith(folder: PluginFolder, path: string | undefined): Promise<string | undefined> {
  if (path === undefined)
    return `there is no module: neither one of ${MODULE_FILES.join(", ")} nor one that ${PACKAGE_FILE} names as its main`;
  try {
    return (await folder.read(path)) === undefined ? "there is no such file" : undefined;
  } catch (error) {
    return messageOf(error);
  }
}

/** A plugin whose code must not run, or not yet. */
function notRun(name: string, version: string): Plugin {
  return {
    name,
    version,
    register() {
      throw new PegboardError(
        "unavailable",
        "its code has not been run: enable it in pegboard.yaml, trust the workspace, and load that again",
      );
    },
  };
}

async function run(name: string, file: string, folder: string, place: CodePlace): Promise<RunningPlugin> {
  const recipe: PluginRecipe = { kind: "plugin", file, folder };
  const running = place.trusted ? await runHere(recipe) : await runApart(name, recipe, folder, place);
  const { plugin } = running;
  if (!plugin || plugin.name === name) return running;
  running.release();
  // Settings and switches are written for a name, before it is known what a module calls itself.
  const message = `The plugin calls itself "${String(plugin.name).slice(0, 80)}" and its folder is called "${name}"`;
  const fix = "give both the same name";
  return { diagnostics: [{ severity: "error", code: "invalid_definition", message, file, fix }], release() {} };
}

const LOAD_MS = 30_000;

// What a module changes for all code of this process can only be laid at its door when no other is being loaded.
let loading: Promise<unknown> = Promise.resolve();

async function runHere(recipe: PluginRecipe): Promise<RunningPlugin> {
  const loaded = loading.then(() => inTime(LOAD_MS, () => loadRecipe(recipe)));
  loading = loaded.catch(() => {});
  const { module } = await loaded;
  return { ...module!, release() {} };
}

async function runApart(
  name: string,
  recipe: PluginRecipe,
  folder: string,
  { sandbox, onChange }: CodePlace,
): Promise<RunningPlugin> {
  const files = filesBelow(folder);
  const { isolate, leave } = sandbox.enter({
    key: `plugin ${name}`,
    process: { place: folder, signature: files.map(stamp).join("\n"), label: `plugin "${name}"` },
    recipe,
    files,
    env: {},
    trusted: false,
  });
  try {
    const { plugin: sent, tools: definitions } = await isolate.load(recipe);
    const diagnostics = sent!.diagnostics.map(toDiagnostic);
    if (sent!.parts) {
      const plugin = toRemotePlugin(sent!.parts, { isolate, recipe, definitions, onChange });
      return { plugin, diagnostics, release: leave };
    }
    leave();
    return { diagnostics, release() {} };
  } catch (error) {
    leave();
    throw error;
  }
}

/** What the code sent is not trusted. */
function toDiagnostic({ severity, code, message, file }: Diagnostic): Diagnostic {
  return {
    severity: severity === "warning" ? "warning" : "error",
    code: String(code),
    message: String(message),
    ...(file !== undefined && { file: String(file) }),
  };
}
