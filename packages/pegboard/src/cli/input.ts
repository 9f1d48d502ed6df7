import { text as readAll } from "node:stream/consumers";
import type { Json, JsonSchema } from "@pegboard/contract";
import { messageOf, PegboardError } from "../core/error.ts";

/**
 * The input of a call as it is written on a command line: `key=value` typed by the tool's schema, `key:=json`, or the
 * whole as JSON, where `-` reads standard input. What does not fit the schema stays text, so that the call itself says
 * what is wrong. Throws `invalid_config` for what cannot be read.
 */
export async function readInput(
  pairs: readonly string[],
  whole: string | undefined,
  schema: JsonSchema = {},
): Promise<Json> {
  if (whole === undefined) return toInput(pairs, schema);
  if (pairs.length > 0) {
    throw new PegboardError("invalid_config", `--input is the whole input: leave out ${pairs.join(" ")}, or --input`);
  }
  return whole === "-"
    ? parseJson(await readAll(process.stdin), "The input from standard input")
    : parseJson(whole, "The value of --input");
}

/** The object that `key=value` and `key:=json` pairs describe. */
function toInput(pairs: readonly string[], schema: JsonSchema): Json {
  const input = emptyObject();
  for (const pair of pairs) {
    const { key, value, isJson } = parsePair(pair);
    const path = toPath(key, schema);
    const expected = path.reduce<JsonSchema | undefined>((at, name) => at && propertyOf(at, name, schema), schema);
    const typed = isJson ? parseJson(value, `The value of "${key}"`) : toTyped(value, expected ?? {}, schema);
    put(input, path, typed, key);
  }
  return input;
}

function parsePair(pair: string): { key: string; value: string; isJson: boolean } {
  const match = /^([^=]+?)(:?=)(.*)$/s.exec(pair);
  if (match) return { key: match[1]!, value: match[3]!, isJson: match[2] === ":=" };
  throw new PegboardError(
    "invalid_config",
    `${JSON.stringify(pair)} is neither key=value nor key:=json; the whole input can be given as --input '{…}'`,
  );
}

function parseJson(text: string, what: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new PegboardError("invalid_config", `${what} is not JSON: ${messageOf(error)}`);
  }
}

// A dot leads into an object, unless the schema has a property of exactly this name.
function toPath(key: string, schema: JsonSchema): readonly string[] {
  const [first, ...rest] = key.split(".");
  if (rest.length === 0 || rest.includes("") || propertyOf(schema, key, schema)) return [key];
  const outer = propertyOf(schema, first!, schema);
  return outer && typesOf(outer).includes("object") ? [first!, ...rest] : [key];
}

function put(input: Record<string, Json>, path: readonly string[], value: Json, key: string): void {
  const last = path.at(-1)!;
  let target = input;
  for (const name of path.slice(0, -1)) {
    const inner = (target[name] ??= emptyObject());
    if (!isObject(inner)) throw twice(key);
    target = inner;
  }
  const present = target[last];
  if (present === undefined) target[last] = value;
  else if (Array.isArray(present) && Array.isArray(value))
    target[last] = [...(present as Json[]), ...(value as Json[])];
  else throw twice(key);
}

function twice(key: string): PegboardError {
  return new PegboardError("invalid_config", `"${key}" is given twice, and it is not a list`);
}

function toTyped(text: string, schema: JsonSchema, root: JsonSchema): Json {
  const value = fit(text, schema, root);
  return value === undefined ? text : value;
}

/** The value that a text stands for where this schema holds, or undefined when it stands for none. */
function fit(text: string, schema: JsonSchema, root: JsonSchema): Json | undefined {
  const at = resolve(schema, root);
  const fixed = "const" in at ? [at["const"]] : at["enum"];
  if (Array.isArray(fixed))
    return (fixed as Json[]).find((value) => text === (typeof value === "string" ? value : JSON.stringify(value)));
  const options = branchesOf(at);
  if (options.length > 0 && at["type"] === undefined) {
    const fitting = options.map((option) => fit(text, option, root)).filter((value) => value !== undefined);
    return fitting.toSorted((a, b) => looseness(a) - looseness(b))[0];
  }
  for (const type of TYPES) {
    const value = typesOf(at).includes(type) ? READ[type](text, at, root) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

/** From the type that the fewest texts fit to the one that all do. */
const TYPES = ["null", "boolean", "integer", "number", "string", "array"] as const;

const READ: Record<(typeof TYPES)[number], (text: string, schema: JsonSchema, root: JsonSchema) => Json | undefined> = {
  null: (text) => (text === "null" ? null : undefined),
  boolean: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  // An integer that would lose digits stays text.
  integer: (text) => (NUMBER.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined),
  number: (text) => (NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : undefined),
  string: (text) => text,
  array: (text, { items }, root) =>
    text === "" ? [] : text.split(",").map((item) => toTyped(item, isObject(items) ? items : {}, root)),
};

const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;

function looseness(value: Json): number {
  return Array.isArray(value) ? 2 : typeof value === "string" ? 1 : 0;
}

function propertyOf(schema: JsonSchema, name: string, root: JsonSchema): JsonSchema | undefined {
  const at = resolve(schema, root);
  const { properties } = at;
  if (isObject(properties) && Object.hasOwn(properties, name)) {
    const property = properties[name];
    return isObject(property) ? resolve(property, root) : {};
  }
  for (const branch of branchesOf(at)) {
    const found = propertyOf(branch, name, root);
    if (found) return found;
  }
  return undefined;
}

function typesOf({ type, properties }: JsonSchema): readonly unknown[] {
  if (type === undefined) return properties === undefined ? [] : ["object"];
  return Array.isArray(type) ? type : [type];
}

function branchesOf({ anyOf, oneOf, allOf }: JsonSchema): readonly JsonSchema[] {
  return [anyOf, oneOf, allOf].flatMap((branches) => (Array.isArray(branches) ? branches : [])).filter(isObject);
}

const MOST_HOPS = 16;

function resolve(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let at: unknown = schema;
  for (let hop = 0; hop < MOST_HOPS && isObject(at) && typeof at["$ref"] === "string"; hop++)
    at = atReference(at["$ref"], root);
  return isObject(at) ? at : {};
}

function atReference(reference: string, root: JsonSchema): unknown {
  if (!/^#(\/|$)/.test(reference)) return {};
  const segments = reference
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  return segments.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : {}), root);
}

function isObject(value: unknown): value is Record<string, Json> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

// Without a prototype "__proto__" is a key like any other, which the call then refuses.
function emptyObject(): Record<string, Json> {
  return Object.create(null) as Record<string, Json>;
}
