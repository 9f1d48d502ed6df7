import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PegboardError } from "../core/error.ts";
import type { ClientFormat } from "./clients.ts";

type Entry = Readonly<Record<string, unknown>>;

/** The text that a file needs to hold for a server of this name. */
export function toClientText({ format, key }: ClientFormat, name: string, entry: Entry): string {
  if (format === "toml") return toToml(key, name, entry);
  if (format === "yaml") return toYaml(key, name, entry);
  return `${JSON.stringify({ [key]: { [name]: entry } }, null, 2)}\n`;
}

/**
 * Writes a server into a client's file, beside what is there; an earlier entry of the same name is replaced in JSON. Throws
 * `invalid_config`, and changes nothing, for a file that could not be kept as it is.
 */
export function writeClientFile(file: string, client: ClientFormat, name: string, entry: Entry): void {
  const present = existsSync(file) ? readFileSync(file, "utf8") : "";
  const text =
    client.format === "json"
      ? mergeJson(file, present, client.key, name, entry)
      : append(file, present, client, name, entry);
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644 });
  renameSync(draft, file);
}

function mergeJson(file: string, present: string, key: string, name: string, entry: Entry): string {
  let whole: unknown;
  try {
    whole = present.trim() === "" ? {} : JSON.parse(present);
  } catch {
    throw new PegboardError("invalid_config", `${file} is not plain JSON, perhaps for its comments: add it by hand`);
  }
  const servers = isObject(whole) ? (whole[key] ?? {}) : undefined;
  if (!isObject(whole) || !isObject(servers))
    throw new PegboardError("invalid_config", `${file} holds no object of ${key}: add it by hand`);
  const merged = { ...whole, [key]: { ...servers, [name]: entry } };
  return `${JSON.stringify(merged, null, 2)}\n`;
}

function append(file: string, present: string, client: ClientFormat, name: string, entry: Entry): string {
  if (client.format !== "toml")
    throw new PegboardError("invalid_config", `${file} is not written by this version: add it by hand`);
  if (present.includes(`${client.key}.${name}`) || new RegExp(String.raw`^\s*${client.key}\s*=`, "m").test(present))
    throw new PegboardError(
      "invalid_config",
      `${file} has ${client.key}.${name}, or all of them in a line: add it by hand`,
    );
  const before = present === "" || present.endsWith("\n") ? present : `${present}\n`;
  return `${before}${before === "" ? "" : "\n"}${toClientText(client, name, entry)}`;
}

// Strings and lists of strings are written in TOML and YAML as they are in JSON.
function toToml(key: string, name: string, entry: Entry): string {
  const lines = Object.entries(entry).map(([field, value]) => `${field} = ${JSON.stringify(value)}\n`);
  return `[${key}.${name}]\n${lines.join("")}`;
}

function toYaml(key: string, name: string, entry: Entry): string {
  const lines = Object.entries(entry).map(([field, value]) => `    ${field}: ${JSON.stringify(value)}\n`);
  return `${key}:\n  ${name}:\n${lines.join("")}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
