import type { FieldReport } from "../../core/file-report.ts";
import { parseLooseJson } from "../../plugins/json-file.ts";
import {
  dataOf,
  type ForeignPluginDeps,
  readManifestText,
  toNothing,
  toPluginName,
  toReadPlugin,
} from "./foreign-plugin.ts";
import { type Layout, pathsOf, readLayout } from "./layout.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import type { ReadPlugin } from "./read-plugin.ts";
import { brokenReport, toReport } from "./report.ts";

/** The fields of a manifest, as they are written. */
export type ManifestFields = Readonly<Record<string, unknown>>;

/** Where a plugin is, for whoever lays out its parts. */
export interface ForeignPlaces {
  readonly root: string;
  /** Where it keeps what it makes. */
  readonly data: string;
  /** The folder of the workspace. */
  readonly project: string;
}

/** A program whose plugins have a manifest in JSON with a name in it. */
export interface ForeignFormat {
  readonly format: Layout["format"];
  readonly manifest: string;
  /** Fields that are taken, and what is said of all others. */
  readonly mapped: readonly string[];
  readonly notes: Readonly<Record<string, string>>;
  layOut(
    manifest: ManifestFields,
    places: ForeignPlaces,
    deps: ForeignPluginDeps,
  ): Omit<Layout, "name" | "format" | "manifest" | "named">;
}

/** Reads a plugin of another program. Runs nothing and never rejects. */
export async function readForeignPlugin(
  folder: PluginFolder,
  program: ForeignFormat,
  deps: ForeignPluginDeps,
): Promise<ReadPlugin> {
  const { format, manifest: path } = program;
  const place = { format, path };
  const text = await readManifestText(folder, place);
  if (typeof text !== "string") return text;
  const file = folder.absolute(path);
  const sort = { kind: "plugin", format };
  const { value, diagnostics } = parseLooseJson(text, file);
  if (!value) return toNothing(folder, place, toReport(file, sort, { loaded: false, fields: [], diagnostics }));
  const name = toPluginName(textOf(value["name"]) ?? "");
  if (name === undefined)
    return toNothing(folder, place, brokenReport(file, sort, "name is missing, or no name can be made of it"));
  const [version, description] = [textOf(value["version"]), textOf(value["description"])];
  const item = { name, ...(description !== undefined && { description }) };
  const places = { root: folder.root, data: dataOf(deps, name), project: deps.project ?? process.cwd() };
  const named = PATHS.flatMap((field) => pathsOf(value[field]) ?? []);
  const layout: Layout = { name, format, manifest: path, named, ...program.layOut(value, places, deps) };
  const { settings, fields: asked = [] } = layout.userConfig ?? {};
  const fields = [...Object.keys(value).map((field) => toFieldReport(field, value, name, program)), ...asked];
  const report = toReport(file, sort, { loaded: true, item, fields, diagnostics });
  const parts = await readLayout(folder, layout, deps);
  return toReadPlugin(
    folder,
    { ...place, name, version, description },
    { ...parts, reports: [report, ...parts.reports], ...(settings && { settings }) },
    deps,
  );
}

/** Fields of manifests that hold paths. */
const PATHS = ["agents", "commands", "skills", "mcpServers", "hooks"];

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** What all programs have in their manifests, for people. */
const FOR_PEOPLE = [
  "$schema",
  "displayName",
  "author",
  "homepage",
  "repository",
  "license",
  "keywords",
  "metadata",
  "interface",
];

function toFieldReport(
  field: string,
  { name: written }: ManifestFields,
  name: string,
  { mapped, notes }: ForeignFormat,
): FieldReport {
  if (field === "name" && written !== name) return { field, became: "approximated", note: name };
  if (["name", "version", "description", ...mapped].includes(field)) return { field, became: "mapped" };
  if (FOR_PEOPLE.includes(field)) return { field, became: "ignored", note: "for people" };
  return { field, became: "ignored", note: notes[field] ?? "says nothing that Pegboard acts on" };
}
