import type { Json } from "@pegboard/contract";
import type { FieldReport } from "../../core/file-report.ts";
import { isObject } from "../../plugins/json-file.ts";
import type { WrittenSetting, WrittenSettings } from "./settings.ts";

/** What people are to be asked for, as settings, and what became of each field. */
export interface ReadUserConfig {
  readonly settings: WrittenSettings;
  readonly fields: readonly FieldReport[];
}

const TYPES: Readonly<Record<string, WrittenSetting["type"]>> = {
  string: "string",
  number: "number",
  boolean: "boolean",
  directory: "directory",
  file: "filepath",
};

/** Reads the `userConfig` of a plugin of Claude Code. An entry that cannot be read is no setting, and is told. */
export function readUserConfig(written: unknown): ReadUserConfig {
  const properties: Record<string, WrittenSetting> = {};
  const fields: FieldReport[] = [];
  for (const [key, entry] of Object.entries(isObject(written) ? written : {})) {
    const field = `userConfig.${key}`;
    const problem = problemOf(key, entry);
    if (problem !== undefined) {
      fields.push({ field, became: "ignored", note: problem });
      continue;
    }
    const setting = entry as Readonly<Record<string, unknown>>;
    properties[key] = toSetting(setting);
    // A list would have to become one text, and nothing says how.
    if (setting["multiple"] === true) fields.push({ field, became: "approximated", note: "takes one value only" });
    else fields.push({ field, became: "mapped" });
  }
  return { settings: { properties }, fields };
}

function problemOf(key: string, entry: unknown): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(key)) return "the name of a setting is made of letters, digits and underscores";
  if (!isObject(entry)) return "a setting is an object";
  const { type = "string" } = entry;
  if (typeof type === "string" && Object.hasOwn(TYPES, type)) return undefined;
  return `type must be one of ${Object.keys(TYPES).join(", ")}`;
}

function toSetting(entry: Readonly<Record<string, unknown>>): WrittenSetting {
  const { type = "string", title, description = title, required, sensitive, default: value, min, max } = entry;
  return {
    type: TYPES[type as string]!,
    ...(typeof description === "string" && { description }),
    ...(required === true && { required }),
    ...(sensitive === true && { secret: true }),
    ...(isPlain(value) && { default: value }),
    ...(type === "number" && typeof min === "number" && { minimum: min }),
    ...(type === "number" && typeof max === "number" && { maximum: max }),
  };
}

function isPlain(value: unknown): value is Json {
  return ["string", "number", "boolean"].includes(typeof value);
}
