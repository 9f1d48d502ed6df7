import type { JsonSchema } from "@pegboard/contract";
import { isRecord } from "./message-params.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * An input schema as clients can take it: the author's own object unless one of them would drop the tool for it. What the
 * author wrote still decides what is valid.
 */
export function toClientSchema(schema: JsonSchema): Fields {
  const known = prepared.get(schema);
  if (known) return known;
  const plain = withoutBooleans(schema) as Fields;
  const flat = withoutChoice(plain);
  const { $schema, ...rest } = flat;
  // Some clients know no dialect by its address; it says something only where the words of one are used.
  const named = $schema === undefined || usesNewWords(rest) ? flat : rest;
  const whole = named["type"] === "object" ? named : { type: "object", ...named };
  const result = "properties" in whole ? whole : { ...whole, properties: {} };
  prepared.set(schema, result);
  return result;
}

const prepared = new WeakMap<JsonSchema, Fields>();

/** Words under which any value stands, not a schema. */
const VALUES = new Set(["const", "enum", "default", "examples", "required", "type", "dependentRequired"]);
/** Where every client takes `true` and `false`. */
const MAY_BE_BOOLEAN = new Set([
  "additionalProperties",
  "unevaluatedProperties",
  "unevaluatedItems",
  "additionalItems",
]);
/** Words whose value is a map of schemas. */
const MAPS = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]);
/** Words whose value is a list of schemas. */
const LISTS = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Words whose value is a schema. */
const SCHEMAS = new Set(["items", "contains", "not", "if", "then", "else", "propertyNames"]);
const NEW_WORDS = ["$defs", "$anchor", "$dynamicRef", "prefixItems", "dependentSchemas", "unevaluatedProperties"];

/** The schema without `true` and `false` in the place of schemas; the same object where there are none. */
function withoutBooleans(schema: unknown): unknown {
  if (schema === true) return {};
  if (schema === false) return { not: {} };
  if (!isRecord(schema)) return schema;
  let changed: Record<string, unknown> | undefined;
  for (const [word, value] of Object.entries(schema)) {
    const next = VALUES.has(word) ? value : withoutBooleansIn(word, value);
    if (next !== value) (changed ??= { ...schema })[word] = next;
  }
  return changed ?? schema;
}

function withoutBooleansIn(word: string, value: unknown): unknown {
  if (MAPS.has(word) && isRecord(value)) return mapValues(value, withoutBooleans);
  if (LISTS.has(word) && Array.isArray(value)) return mapList(value, withoutBooleans);
  if (MAY_BE_BOOLEAN.has(word)) return typeof value === "boolean" ? value : withoutBooleans(value);
  return SCHEMAS.has(word) ? withoutBooleans(value) : value;
}

/**
 * The schema without a choice at its root: the properties of all its branches, of which those that all branches require are
 * required.
 */
function withoutChoice(schema: Fields): Fields {
  const word = ["anyOf", "oneOf"].find((one) => Array.isArray(schema[one]));
  if (word === undefined) return schema;
  const { [word]: choice, ...rest } = schema;
  const branches = (choice as unknown[]).filter(isRecord);
  const properties: Record<string, unknown> = {};
  for (const name of new Set(branches.flatMap(({ properties: own }) => (isRecord(own) ? Object.keys(own) : [])))) {
    const forms = branches.flatMap(({ properties: own }) =>
      isRecord(own) && Object.hasOwn(own, name) ? [own[name]] : [],
    );
    const different = [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
    define(properties, name, different.length === 1 ? different[0] : { anyOf: different });
  }
  const own = isRecord(schema["properties"]) ? schema["properties"] : {};
  for (const name of Object.keys(own)) define(properties, name, own[name]);
  const required = new Set([
    ...textsOf(schema["required"]),
    ...common(branches.map((one) => textsOf(one["required"]))),
  ]);
  return withoutChoice({ ...rest, properties, ...(required.size > 0 && { required: [...required] }) });
}

function common(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists;
  return first.filter((name) => others.every((list) => list.includes(name)));
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function usesNewWords(schema: Fields): boolean {
  return NEW_WORDS.some((word) => word in schema);
}

function mapValues(map: Fields, change: (value: unknown) => unknown): Fields {
  let changed: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(map)) {
    const next = change(value);
    if (next !== value) define((changed ??= { ...map }), name, next);
  }
  return changed ?? map;
}

function mapList(list: readonly unknown[], change: (value: unknown) => unknown): readonly unknown[] {
  const next = list.map(change);
  return next.some((value, index) => value !== list[index]) ? next : list;
}

// A property may be called `__proto__`.
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}
