import { PegboardError } from "./error.ts";

/** What a schema may be at most. The largest one within these limits compiles in less than 100 ms. */
export const LIMITS = {
  /** Characters of JSON text. */
  text: 256 * 1024,
  /** Subschemas within each other. */
  depth: 64,
  subschemas: 2_000,
  /** Places at which a value can fail; what the engine's time to compile grows with. */
  checks: 1_200,
  /** Characters of one regular expression. */
  pattern: 1_000,
  /** Instructions of all regular expressions together. */
  patterns: 8_000,
} as const;

/** The dialects that are understood, by the address that `$schema` names them with. */
const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ["//json-schema.org/draft/2020-12/schema", "2020-12"],
  ["//json-schema.org/draft/2019-09/schema", "2019-09"],
  ["//json-schema.org/draft-07/schema", "draft-07"],
  ["//json-schema.org/draft-06/schema", "draft-06"],
]);

export type Dialect = "2020-12" | "2019-09" | "draft-07" | "draft-06";

/** The error for a schema that cannot be used: what is wrong, and where. */
export function wrongSchema(pointer: string, message: string): PegboardError {
  return new PegboardError("invalid_definition", `The schema is wrong at ${pointer}: ${message}`);
}

/** The dialect that `$schema` names; absent means that every form of every dialect is understood. Throws on any other. */
export function toDialect(address: unknown): Dialect | undefined {
  if (address === undefined) return undefined;
  // Both spellings of the scheme, and an empty fragment, are common.
  const key = typeof address === "string" ? address.replace(/^https?:/, "").replace(/#$/, "") : "";
  const known = DIALECTS.get(key);
  if (known) return known;
  const supported = [...DIALECTS.keys()].map((name) => `https:${name}`).join(", ");
  throw wrongSchema("#/$schema", `this dialect is not supported; leave $schema out or use one of ${supported}`);
}

/** Throws unless the schema is JSON within the limits of size and nesting. Stops reading where a limit is passed. */
export function lintText(schema: unknown): void {
  let left: number = LIMITS.text;
  const path: string[] = [];
  measure(schema);

  function measure(value: unknown): void {
    if (typeof value === "string") left -= value.length + 2;
    else if (typeof value === "number" && Number.isFinite(value)) left -= String(value).length;
    else if (typeof value === "boolean" || value === null) left -= 5;
    else if (typeof value !== "object") throw wrongSchema(toPointer(path), `a ${typeof value} is not JSON`);
    else measureMembers(value);
    if (left < 0) throw wrongSchema("#", `it is longer than ${LIMITS.text / 1024} KiB`);
  }

  function measureMembers(value: object): void {
    // A level of `properties` is two levels of JSON.
    if (path.length > 2 * LIMITS.depth) throw wrongSchema(toPointer(path.slice(0, 8)), tooDeep);
    left -= 2;
    // By index: to list the keys of an endless array would take longer than to see that it is too long.
    if (Array.isArray(value))
      for (let index = 0; index < value.length; index++) measureMember(String(index), value[index], 1);
    else {
      for (const key of Object.keys(value)) {
        const member = (value as Record<string, unknown>)[key];
        // What `JSON.stringify` leaves out is absent here too.
        if (member !== undefined) measureMember(key, member, key.length + 4);
      }
    }
  }

  function measureMember(key: string, member: unknown, overhead: number): void {
    left -= overhead;
    path.push(key);
    measure(member);
    path.pop();
  }
}

/** What is said of a schema that is nested beyond the limit. */
export const tooDeep = `it is nested deeper than ${LIMITS.depth} levels`;

/** What the value of a keyword must be, when it is something else; nothing for keywords that hold schemas. */
export function lintValue(keyword: string, value: unknown): string | undefined {
  const rule = VALUES.get(keyword);
  return rule === undefined || rule.test(value) ? undefined : `${keyword} must be ${rule.must}`;
}

/** A path as a JSON pointer in fragment form: `#/properties/a`. */
export function toPointer(path: readonly string[]): string {
  return path.reduce((pointer, key) => `${pointer}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`, "#");
}

/** Whether a value is an object with keys: no array, no null. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const TYPES = ["array", "boolean", "integer", "null", "number", "object", "string"];

const anything = { must: "a value", test: () => true };
const list = { must: "a list", test: Array.isArray };
const number = { must: "a number", test: (value: unknown) => typeof value === "number" };
const count = {
  must: "a whole number, 0 or more",
  test: (value: unknown) => Number.isInteger(value) && (value as number) >= 0,
};
const flag = { must: "true or false", test: (value: unknown) => typeof value === "boolean" };
const names = { must: "a list of strings", test: isStrings };
const type = {
  must: `one of ${TYPES.join(", ")}, or a list of them`,
  test: (value: unknown) =>
    Array.isArray(value)
      ? value.length > 0 && value.every((name) => TYPES.includes(name))
      : TYPES.includes(value as string),
};
const divisor = { must: "a number above 0", test: (value: unknown) => typeof value === "number" && value > 0 };
const nameLists = {
  must: "an object of lists of strings",
  test: (value: unknown) => isObject(value) && Object.values(value).every(isStrings),
};

const VALUES: ReadonlyMap<string, { must: string; test: (value: unknown) => boolean }> = new Map([
  ["type", type],
  ["enum", list],
  ["const", anything],
  ["multipleOf", divisor],
  ["maximum", number],
  ["minimum", number],
  ["exclusiveMaximum", number],
  ["exclusiveMinimum", number],
  ["maxLength", count],
  ["minLength", count],
  ["maxItems", count],
  ["minItems", count],
  ["maxContains", count],
  ["minContains", count],
  ["maxProperties", count],
  ["minProperties", count],
  ["uniqueItems", flag],
  ["required", names],
  ["dependentRequired", nameLists],
]);

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}
