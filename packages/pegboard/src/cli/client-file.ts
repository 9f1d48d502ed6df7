import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PegboardError } from "../core/error.ts";
import type { ClientFormat } from "./clients.ts";

type Entry = Readonly<Record<string, unknown>>;

/** The text that a file needs to hold for a server of this name. */
export function toClientText(client: ClientFormat, name: string, entry: Entry): string {
  if (client.format === "toml") return toToml(client.key, name, entry);
  if (client.format === "yaml") return `${client.key}:\n${toYaml(client, name, entry)}`;
  return `${JSON.stringify({ [client.key]: { [name]: entry } }, null, 2)}\n`;
}

const WRITERS = { json: mergeJson, toml: append, yaml: insertYaml } as const;

/**
 * Writes a server into a client's file, beside what is there; an earlier entry of the same name is replaced in JSON.
 * Throws `invalid_config`, and changes nothing, for a file that could not be kept as it is.
 */
export function writeClientFile(file: string, client: ClientFormat, name: string, entry: Entry): void {
  const present = existsSync(file) ? readFileSync(file, "utf8") : "";
  const text = WRITERS[client.format](file, present, client, name, entry);
  mkdirSync(dirname(file), { recursive: true });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, text, { mode: statSync(file, { throwIfNoEntry: false })?.mode ?? 0o644 });
  renameSync(draft, file);
}

function mergeJson(file: string, present: string, { key }: ClientFormat, name: string, entry: Entry): string {
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

/** Puts the server before all others; the rest of the file, its comments too, stays as it is. */
function insertYaml(file: string, present: string, client: ClientFormat, name: string, entry: Entry): string {
  const { key, head = {} } = client;
  const heading = new RegExp(`^${key}:(.*)\n?`, "m").exec(present);
  if (!heading) {
    const needed = /^ *[^\s#]/m.test(present) ? "" : toFields(head, "");
    return `${endLine(present)}${needed}${toClientText(client, name, entry)}`;
  }
  const start = heading.index + heading[0].length;
  const rest = present.slice(start);
  const known = new RegExp(String.raw`^(\s+${name}:|[\s-]+name: *["']?${name}["']? *$)`, "m");
  if (!/^\s*(#.*)?$/.test(heading[1]!) || known.test(rest))
    throw new PegboardError("invalid_config", `${file} has ${name}, or all of ${key} in a line: add it by hand`);
  // Those that are there say how far in the new one stands.
  const [, next = "", dash = ""] = /^(?! *(?:#|$))( *)(-?)/m.exec(rest) ?? [];
  const indent = next !== "" || (client.list && dash !== "") ? next : "  ";
  return `${endLine(present.slice(0, start))}${toYaml(client, name, entry, indent)}${rest}`;
}

function append(file: string, present: string, client: ClientFormat, name: string, entry: Entry): string {
  if (present.includes(`${client.key}.${name}`) || new RegExp(String.raw`^\s*${client.key}\s*=`, "m").test(present))
    throw new PegboardError(
      "invalid_config",
      `${file} has ${client.key}.${name}, or all of them in a line: add it by hand`,
    );
  const before = endLine(present);
  return `${before}${before === "" ? "" : "\n"}${toClientText(client, name, entry)}`;
}

function endLine(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

// Strings and lists of strings are written in TOML and YAML as they are in JSON.
function toToml(key: string, name: string, entry: Entry): string {
  const lines = Object.entries(entry).map(([field, value]) => `${field} = ${JSON.stringify(value)}\n`);
  return `[${key}.${name}]\n${lines.join("")}`;
}

function toYaml({ list }: ClientFormat, name: string, entry: Entry, indent = "  "): string {
  const fields = toFields(entry, `${indent}  `);
  return list ? fields.replace(`${indent}  `, `${indent}- `) : `${indent}${name}:\n${fields}`;
}

function toFields(fields: Entry, indent: string): string {
  return Object.entries(fields)
    .map(([field, value]) => `${indent}${field}: ${JSON.stringify(value)}\n`)
    .join("");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
