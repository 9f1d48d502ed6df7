import type { JsonSchema } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { FieldReport, FileReport } from "../core/file-report.ts";
import type { Registration } from "../core/registry.ts";
import { toAgentReport } from "./check-foreign.ts";
import { topLevelOf } from "./check-kind.ts";
import type { Config } from "./config-file.ts";
import { CONFIG_SCHEMA, HOST_TOOLS_SCHEMA, POLICY_SCHEMA } from "./config-schema.ts";
import type { FileKind, InspectedFile, Inspection } from "./inspect.ts";
import { lintDefinition } from "./lint-definition.ts";
import type { ExportKind } from "./load-recipe.ts";

/** The reports on files of ours that were read together, on a board of their own. */
export function toOwnReports({ files, registry }: Inspection): FileReport[] {
  const names = registry.names();
  return files.map((file) => {
    const { path, kind, loaded, tools, diagnostics } = file;
    if (file.agent) return toAgentReport(path, { ...file.agent, diagnostics });
    const warnings = tools.flatMap((registration) => definitionWarnings(registration, names, file.config));
    return {
      path,
      kind,
      format: kind === "tools" ? "module" : "pegboard",
      loaded,
      ...(kind !== "policy" && { tools: tools.map(({ name }) => name) }),
      fields: fieldsOf(file),
      diagnostics: [...diagnostics.map(withoutFile), ...warnings],
    };
  });
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

function fieldsOf({ path, kind, config, exports }: InspectedFile): FieldReport[] {
  if (kind === "tools") return Object.entries(exports ?? {}).map(([field, what]) => exportField(field, what));
  if (!config) return [];
  const known = Object.keys(SCHEMAS[kind]!["properties"] as object);
  const written = topLevelOf(path);
  return Object.keys(written).flatMap((field): FieldReport[] => {
    if (!known.includes(field)) return [{ field, became: "ignored", note: "unknown key" }];
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

function exportField(field: string, kind: ExportKind): FieldReport {
  if (kind === "tool") return { field, became: "mapped" };
  const note = kind === "function" ? "a function with a schema: name it in a toolset" : "not a tool";
  return { field, became: "ignored", note };
}

function toolsetField(key: string, config: Config): FieldReport {
  const field = `toolsets.${key}`;
  return config.toolsets.has(key) ||
    key === "vfs" ||
    (key === "filesystem" && config.filesystem) ||
    (key === "shell" && config.shell)
    ? { field, became: "mapped" }
    : { field, became: "ignored", note: "it has errors" };
}

function hostToolField(index: number, written: readonly unknown[], config: Config): FieldReport {
  const { name } = Object(written[index]) as { name?: unknown };
  const field = `tools.${index}`;
  return config.tools.some(({ entry }) => entry.name === name)
    ? { field, became: "mapped", note: `tool ${String(name)}` }
    : { field, became: "ignored", note: "it has errors" };
}
