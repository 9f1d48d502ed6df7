import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import type { JsonSchema } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { Registration } from "../core/registry.ts";
import { isAgentFile, type ReadAgent } from "./agents/read-agents.ts";
import type { Config } from "./config-file.ts";
import { CONFIG_SCHEMA, HOST_TOOLS_SCHEMA, LATER_KEYS, POLICY_SCHEMA } from "./config-schema.ts";
import {
  type FileKind,
  type InspectedFile,
  inspectFiles,
  type Inspection,
  type InspectOptions,
  inspectWorkspace,
} from "./inspect.ts";
import { lintDefinition } from "./lint-definition.ts";
import type { ExportKind } from "./load-recipe.ts";
import { CONFIG_FILE } from "./places.ts";
import { parseYaml } from "../core/yaml.ts";

/** What became of one field, or one export, of a file. */
export interface CheckedField {
  readonly field: string;
  readonly became: "mapped" | "approximated" | "ignored" | "unsafe";
  readonly note?: string;
}

/** What a check found out about one file. */
export interface CheckedFile {
  readonly path: string;
  readonly kind: FileKind | "unknown";
  readonly format: string;
  readonly loaded: boolean;
  /** Of an agent: how its front matter could be read. */
  readonly rung?: ReadAgent["rung"];
  /** Of an agent. */
  readonly name?: string;
  /** Of an agent. */
  readonly description?: string;
  /** The names of the tools that it yields; of an agent, its list. */
  readonly tools?: readonly string[];
  readonly fields: readonly CheckedField[];
  readonly diagnostics: readonly Omit<Diagnostic, "file">[];
}

/**
 * Checks files and folders; a folder with a `pegboard.yaml` is a workspace and is checked as a whole, in any other the
 * modules and agents are. A bad or missing path is an entry with an error and stops nothing. Code runs only where the person trusts it, or
 * `trust` says so.
 */
export async function checkPaths(paths: readonly string[], options: InspectOptions): Promise<CheckedFile[]> {
  const checked: CheckedFile[] = [];
  for (const path of paths.map((one) => resolve(one))) checked.push(...(await checkPath(path, options)));
  return checked;
}

async function checkPath(path: string, options: InspectOptions): Promise<CheckedFile[]> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) return [broken(path, "missing", "there is no such file or folder")];
  if (!stats.isDirectory()) return checkFiles([path], options);
  if (statSync(join(path, CONFIG_FILE), { throwIfNoEntry: false }))
    return toChecked(await inspectWorkspace(path, options));
  const files = readdirSync(path)
    .map((name) => join(path, name))
    .filter((file) => MODULES.includes(extname(file)) || isAgentFile(basename(file)));
  if (files.length > 0) return checkFiles(files.sort(), options);
  return [
    broken(
      path,
      "missing",
      `the folder holds no ${CONFIG_FILE}, no tools and no agents`,
      "make a workspace with: pegboard init",
    ),
  ];
}

async function checkFiles(paths: readonly string[], options: InspectOptions): Promise<CheckedFile[]> {
  const kinds = paths.map((path) => ({ path, kind: kindOf(path) }));
  const known = kinds.flatMap(({ path, kind }) => (kind === undefined ? [] : [{ path, kind }]));
  const checked = new Map(toChecked(await inspectFiles(known, options)).map((file) => [file.path, file]));
  const problem =
    "it is none of the files that can be checked: pegboard.yaml, policy.yaml, host tools (YAML), tools (TypeScript or JavaScript), agents (Markdown)";
  return paths.map((path) => checked.get(path) ?? broken(path, "unknown_format", problem));
}

const MODULES = [".ts", ".mts", ".js", ".mjs"];
const YAML = [".yaml", ".yml"];

// A file that is not named after its kind is known by the keys it has.
function kindOf(path: string): FileKind | undefined {
  if (MODULES.includes(extname(path))) return "tools";
  if (extname(path) === ".md") return "agent";
  if (!YAML.includes(extname(path))) return undefined;
  if (basename(path) === CONFIG_FILE) return "config";
  const keys = Object.keys(topLevel(path));
  if (basename(path) === "policy.yaml" || keys.includes("rules")) return "policy";
  if (keys.some((key) => ["toolsets", "policy", "limits"].includes(key))) return "config";
  return "host-tools";
}

function topLevel(path: string): Record<string, unknown> {
  try {
    return Object(parseYaml(readFileSync(path, "utf8"), path).value) as Record<string, unknown>;
  } catch {
    // Whoever reads it next says what is wrong with it.
    return {};
  }
}

function broken(path: string, code: string, message: string, fix?: string): CheckedFile {
  return {
    path,
    kind: "unknown",
    format: "unknown",
    loaded: false,
    fields: [],
    diagnostics: [{ severity: "error", code, message, ...(fix !== undefined && { fix }) }],
  };
}

function toChecked({ files, registry }: Inspection): CheckedFile[] {
  const names = registry.names();
  return files.map((file) => {
    if (file.agent) return toCheckedAgent(file, file.agent);
    const { path, kind, loaded, tools } = file;
    const warnings = tools.flatMap((registration) => definitionWarnings(registration, names, file.config));
    return {
      path,
      kind,
      format: kind === "tools" ? "module" : "pegboard",
      loaded,
      ...(kind !== "policy" && { tools: tools.map(({ name }) => name) }),
      fields: fieldsOf(file),
      diagnostics: [...file.diagnostics.map(withoutFile), ...warnings],
    };
  });
}

function toCheckedAgent(
  { path, kind, loaded, diagnostics }: InspectedFile,
  { agent, fields, rung }: ReadAgent,
): CheckedFile {
  return {
    path,
    kind,
    format: "pegboard",
    loaded,
    rung,
    ...(agent && { name: agent.name, description: agent.description, ...(agent.tools && { tools: agent.tools }) }),
    fields,
    diagnostics: diagnostics.map(withoutFile),
  };
}

function withoutFile(diagnostic: Diagnostic): Omit<Diagnostic, "file"> {
  const { file: _, ...rest } = diagnostic;
  return rest;
}

function definitionWarnings(
  registration: Registration,
  names: readonly string[],
  config: Config | undefined,
): Omit<Diagnostic, "file">[] {
  const { name, tool } = registration;
  const line =
    config?.tools.find(({ entry }) => entry.name === tool.name)?.line ??
    config?.toolsets.get(name.split("__")[0]!)?.line;
  const twins = names.filter((other) => other !== name && normalized(other) === normalized(name));
  return [
    ...lintDefinition(registration),
    ...twins.map((twin) => ({
      code: "twin_name",
      message: `${name}: it differs from "${twin}" only by case, _ or -`,
      fix: "give one of them another name",
    })),
  ].map((warning) => ({ severity: "warning", ...warning, ...(line !== undefined && { line }) }));
}

function normalized(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, "");
}

const SCHEMAS: Readonly<Partial<Record<FileKind, JsonSchema>>> = {
  config: CONFIG_SCHEMA,
  policy: POLICY_SCHEMA,
  "host-tools": HOST_TOOLS_SCHEMA,
};

function fieldsOf({ path, kind, config, exports }: InspectedFile): CheckedField[] {
  if (kind === "tools") return Object.entries(exports ?? {}).map(([field, what]) => exportField(field, what));
  if (!config) return [];
  const known = Object.keys(SCHEMAS[kind]!["properties"] as object);
  const written = topLevel(path);
  return Object.keys(written).flatMap((field): CheckedField[] => {
    if (!known.includes(field)) return [{ field, became: "ignored", note: "unknown key" }];
    if (kind === "config" && LATER_KEYS.includes(field)) return [NOT_USED(field)];
    if (field === "toolsets")
      return Object.keys(Object(written[field]) as object).map((key) => toolsetField(key, config));
    if (field === "tools" && Array.isArray(written[field]))
      return written[field].map((_, index) => hostToolField(index, written[field] as unknown[], config));
    return [
      config.fatal && field !== "version"
        ? { field, became: "ignored", note: "the file has errors" }
        : { field, became: "mapped" },
    ];
  });
}

function exportField(field: string, kind: ExportKind): CheckedField {
  if (kind === "tool") return { field, became: "mapped" };
  const note = kind === "function" ? "a function with a schema: name it in a toolset" : "not a tool";
  return { field, became: "ignored", note };
}

const NOT_USED = (field: string): CheckedField => ({
  field,
  became: "ignored",
  note: "this version does not use it yet",
});

function toolsetField(key: string, config: Config): CheckedField {
  const field = `toolsets.${key}`;
  return config.toolsets.has(key) ||
    key === "vfs" ||
    (key === "filesystem" && config.filesystem) ||
    (key === "shell" && config.shell)
    ? { field, became: "mapped" }
    : { field, became: "ignored", note: "it has errors" };
}

function hostToolField(index: number, written: readonly unknown[], config: Config): CheckedField {
  const { name } = Object(written[index]) as { name?: unknown };
  const field = `tools.${index}`;
  return config.tools.some(({ entry }) => entry.name === name)
    ? { field, became: "mapped", note: `tool ${String(name)}` }
    : { field, became: "ignored", note: "it has errors" };
}
