import { existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PegboardError } from "../core/error.ts";
import { type Document, isMap, isSeq, parseDocument } from "../core/yaml.ts";
import type { ClientFormat } from "./clients.ts";

type Entry = Readonly<Record<string, unknown>>;

/** The text that a file needs to hold for a server of this name. */
export function toClientText(client: ClientFormat, name: string, entry: Entry): string {
  if (client.format === "toml") return toToml(client.key, name, entry);
  if (client.format === "yaml") return mergeYaml("", "", { ...client, head: {} }, name, entry);
  return `${JSON.stringify({ [client.key]: { [name]: entry } }, null, 2)}\n`;
}

const WRITERS = { json: mergeJson, toml: append, yaml: mergeYaml } as const;

/**
 * Writes a server into a client's file, beside what is there; an earlier entry of the same name is replaced, in TOML alone
 * it is refused. Throws `invalid_config`, and changes nothing, for a file that could not be kept as it is.
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

function mergeYaml(file: string, present: string, client: ClientFormat, name: string, entry: Entry): string {
  const document: Document = parseDocument(present);
  if (document.errors.length > 0)
    throw new PegboardError("invalid_config", `${file} cannot be read as YAML: mend it, or add it by hand`);
  if (document.contents === null) document.contents = document.createNode({ ...client.head });
  if (!isMap(document.contents) || !isPlaceFor(client, document))
    throw new PegboardError("invalid_config", `${file} holds no ${client.key} of the form it needs: add it by hand`);
  document.setIn([client.key, client.list ? placeInList(document, client.key, name) : name], entry);
  return document.toString({ lineWidth: 0 });
}

/** Whether servers can be set there; a place that is absent or empty is made. */
function isPlaceFor({ key, list }: ClientFormat, document: Document): boolean {
  if (document.get(key) === undefined || document.get(key) === null)
    document.set(key, document.createNode(list ? [] : {}));
  const servers = document.get(key);
  return list ? isSeq(servers) : isMap(servers);
}

function placeInList(document: Document, key: string, name: string): number {
  const servers = (document.toJS() as Readonly<Record<string, readonly unknown[]>>)[key]!;
  const place = servers.findIndex((server) => isObject(server) && server["name"] === name);
  return place === -1 ? servers.length : place;
}

function append(file: string, present: string, client: ClientFormat, name: string, entry: Entry): string {
  if (present.includes(`${client.key}.${name}`) || new RegExp(String.raw`^\s*${client.key}\s*=`, "m").test(present))
    throw new PegboardError(
      "invalid_config",
      `${file} has ${client.key}.${name}, or all of them in a line: add it by hand`,
    );
  const before = present === "" || present.endsWith("\n") ? present : `${present}\n`;
  return `${before}${before === "" ? "" : "\n"}${toClientText(client, name, entry)}`;
}

// Strings and lists of strings are written in TOML as they are in JSON.
function toToml(key: string, name: string, entry: Entry): string {
  const lines = Object.entries(entry).map(([field, value]) => `${field} = ${JSON.stringify(value)}\n`);
  return `[${key}.${name}]\n${lines.join("")}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
