import type { Diagnostic } from "../core/diagnostic.ts";
import type { FieldReport } from "../core/file-report.ts";
import type { JsonText } from "../core/json-text.ts";
import { pointerSegment } from "../core/json.ts";
import { isObject, parseJsonFile } from "./json-file.ts";

const VERSION = "1.0.0";
const SCHEMA = `https://agent-plugins.org/schemas/${VERSION}/plugin.schema.json`;
const NAME = /^(?!.*(?:--|\.\.))[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/;

/** The manifest of an Agent Plugin that may be loaded. */
export interface AgentPluginManifest {
  readonly name: string;
  readonly version?: string;
  readonly description?: string;
  /** Our own fields in it: those of a `plugin.json` of ours. */
  readonly own?: Readonly<Record<string, unknown>>;
}

/** What came of the manifest. */
export interface AgentPluginFile {
  /** Absent: the plugin is refused, with everything in it. */
  readonly manifest?: AgentPluginManifest;
  readonly diagnostics: readonly Diagnostic[];
  readonly fields: readonly FieldReport[];
  /** Where a JSON pointer leads. */
  readonly at: JsonText["at"];
}

/** Whether a `plugin.json` says that it is one of an Agent Plugin, of whichever version. */
export function isAgentPlugin(manifest: Readonly<Record<string, unknown>>): boolean {
  return typeof manifest["$schema"] === "string" && /\/schemas\/[^/]+\/plugin\.schema\.json$/.test(manifest["$schema"]);
}

/**
 * Reads the manifest of an Agent Plugin, version 1.0.0. A key that is not known, and `extensions` that are no object, are
 * reported and left out; anything else that is wrong refuses the plugin. Never throws.
 */
export function parseAgentPlugin(text: string, file: string): AgentPluginFile {
  const { value, diagnostics: faults, at } = parseJsonFile(text, file);
  if (!value) return { diagnostics: faults, fields: [], at };
  const diagnostics: Diagnostic[] = [];
  const fields: FieldReport[] = [];
  const add = (severity: Diagnostic["severity"], code: string, key: string, message: string) =>
    diagnostics.push({ severity, code, message, file, ...(Object.hasOwn(value, key) && at(pointerSegment(key))) });
  for (const [key, check] of Object.entries(CHECKS)) {
    if (!Object.hasOwn(value, key) && !REQUIRED.includes(key)) continue;
    const must = check(value[key]);
    if (must !== undefined) add("error", "invalid_value", key, `${key} must be ${must}: the plugin is refused`);
    if (Object.hasOwn(value, key))
      fields.push({ field: key, became: must === undefined ? (FATE[key] ?? "mapped") : "ignored" });
  }
  for (const key of Object.keys(value)) {
    if (key === "extensions" || Object.hasOwn(CHECKS, key)) continue;
    fields.push({ field: key, became: "ignored", note: "no field of an Agent Plugin" });
    add("warning", "unknown_key", key, `unknown key "${key}": it is left out`);
  }
  const own = readExtensions(value["extensions"], fields);
  if (value["extensions"] !== undefined && !isObject(value["extensions"]))
    add("warning", "invalid_value", "extensions", "extensions must be an object; they are left out");
  if (diagnostics.some(({ severity }) => severity === "error")) return { diagnostics, fields, at };
  const { name, version, description } = value as { name: string; version?: string; description?: string };
  return {
    manifest: {
      name,
      ...(version !== undefined && { version }),
      ...(description !== undefined && { description }),
      ...(own && { own }),
    },
    diagnostics,
    fields,
    at,
  };
}

const REQUIRED = ["$schema", "name"];

/** What each field must be, or undefined when it is. */
const CHECKS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  $schema: (value) => (value === SCHEMA ? undefined : `"${SCHEMA}", the only version that is known`),
  name: (value) =>
    typeof value === "string" && value.length <= 64 && NAME.test(value)
      ? undefined
      : "1 to 64 of a-z, 0-9, . and -, with a letter or digit at its ends and no -- or ..",
  version: isText,
  description: isText,
  author: (value) =>
    isObject(value) &&
    Object.entries(value).every(([key, one]) => ["name", "email", "url"].includes(key) && typeof one === "string")
      ? undefined
      : "an object of name, email and url, each a text",
  homepage: isText,
  repository: isText,
  license: isText,
  keywords: (value) =>
    Array.isArray(value) && value.every((one) => typeof one === "string") ? undefined : "a list of texts",
};

/** What is for people only is not carried over. */
const FATE: Readonly<Record<string, FieldReport["became"]>> = {
  author: "ignored",
  homepage: "ignored",
  repository: "ignored",
  license: "ignored",
  keywords: "ignored",
};

function isText(value: unknown): string | undefined {
  return typeof value === "string" ? undefined : "a text";
}

function readExtensions(extensions: unknown, fields: FieldReport[]): AgentPluginManifest["own"] {
  if (extensions === undefined) return undefined;
  const spaces = isObject(extensions) ? Object.keys(extensions) : [];
  if (spaces.length === 0) fields.push({ field: "extensions", became: "ignored" });
  for (const space of spaces) {
    const mine = space === "pegboard";
    fields.push({
      field: `extensions.${space}`,
      became: mine ? "mapped" : "ignored",
      ...(!mine && { note: "another program's" }),
    });
  }
  const own = isObject(extensions) ? extensions["pegboard"] : undefined;
  return isObject(own) ? own : undefined;
}
