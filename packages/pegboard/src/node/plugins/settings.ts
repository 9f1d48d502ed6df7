import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Json, JsonSchema } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import type { SETTING_TYPES } from "./manifest-schema.ts";

/** One setting, as a manifest describes it. */
export interface WrittenSetting {
  readonly type: (typeof SETTING_TYPES)[number];
  readonly description?: string;
  readonly required?: boolean;
  readonly secret?: boolean;
  readonly encrypted?: boolean;
  readonly default?: Json;
  readonly enum?: readonly Json[];
  readonly choices?: readonly Json[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
}

/** The settings of a plugin, as its manifest describes them. */
export interface WrittenSettings {
  readonly properties: Readonly<Record<string, WrittenSetting>>;
  readonly required?: readonly string[];
}

/** The settings of a plugin as JSON Schema. Those that are secret are `writeOnly`. */
export function toSettingsSchema({ properties, required = [] }: WrittenSettings): JsonSchema {
  const entries = Object.entries(properties);
  const needed = entries.filter(([key, setting]) => setting.required || required.includes(key)).map(([key]) => key);
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([key, setting]) => [key, toPropertySchema(setting)])),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  };
}

function toPropertySchema(setting: WrittenSetting): JsonSchema {
  const { type, required: _, secret, encrypted, choices, enum: values = choices, default: value, ...same } = setting;
  return {
    ...same,
    type: isText(type) ? "string" : type,
    ...(values && { enum: [...values] }),
    ...(value !== undefined && { default: coerce(value, setting) }),
    ...((secret || encrypted) && { writeOnly: true }),
  };
}

/** Settings as somebody wrote them, with texts that stand for a number or a yes or no made one. The rest stays. */
export function coerceSettings(given: Json, { properties }: WrittenSettings): Json {
  if (typeof given !== "object" || given === null || Array.isArray(given)) return given;
  return Object.fromEntries(
    Object.entries(given as Record<string, Json>).map(([key, value]) => {
      const setting = Object.hasOwn(properties, key) ? properties[key] : undefined;
      return [key, setting ? coerce(value, setting) : value];
    }),
  );
}

function coerce(value: Json, { type }: WrittenSetting): Json {
  if (isText(type)) return typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  if (typeof value !== "string") return value;
  if (type === "boolean") return BOOLEANS.get(value.toLowerCase()) ?? value;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : value;
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["yes", true],
  ["on", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["off", false],
  ["0", false],
]);

function isText(type: WrittenSetting["type"]): boolean {
  return type === "string" || type === "choice" || type === "filepath" || type === "directory";
}

/** Where a plugin is, and what it is called. */
interface PluginPlace {
  readonly folder: string;
  readonly plugin: string;
}

/** The variables that the tools of a plugin see: `PLUGIN_CONFIG_NAME` for each setting. Throws what `settingTexts` throws. */
export function toEnvironment(settings: Json, written: WrittenSettings, place: PluginPlace): Record<string, string> {
  const texts = Object.entries(settingTexts(settings, written, place));
  return Object.fromEntries(texts.map(([key, text]) => [`PLUGIN_CONFIG_${key.toUpperCase()}`, text]));
}

/**
 * Each setting that has a value as a text; paths are those of the plugin's folder, absolute. Throws `invalid_config` and
 * names every setting whose file or folder is not there.
 */
export function settingTexts(
  settings: Json,
  { properties }: WrittenSettings,
  { folder, plugin }: PluginPlace,
): Record<string, string> {
  const missing: string[] = [];
  const defaults = Object.entries(properties).flatMap(([key, setting]) =>
    setting.default === undefined ? [] : [[key, coerce(setting.default, setting)] as const],
  );
  const given = { ...Object.fromEntries(defaults), ...(Object(settings) as Record<string, Json>) };
  const variables = Object.entries(given).map(([key, value]) => {
    const type = properties[key]?.type;
    const isPath = (type === "filepath" || type === "directory") && typeof value === "string";
    const shown = isPath ? resolve(folder, value) : toText(value);
    if (isPath && !exists(shown, type))
      missing.push(`${key} (there is no ${type === "filepath" ? "file" : "folder"} ${shown})`);
    return [key, shown] as const;
  });
  if (missing.length > 0)
    throw new PegboardError("invalid_config", `Plugin "${plugin}" needs other settings: ${missing.join(", ")}`);
  return Object.fromEntries(variables);
}

function exists(path: string, type: "filepath" | "directory"): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  return (type === "filepath" ? stats?.isFile() : stats?.isDirectory()) ?? false;
}

function toText(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
