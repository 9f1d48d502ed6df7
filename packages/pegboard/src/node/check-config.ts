import type { JsonSchema } from "@pegboard/contract";
import { pointerSegment } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import type { Problem } from "../core/schema.ts";

/**
 * Checks a value against one of our own configuration schemas, by reading the schema as it goes: every start of the
 * command line checks a file, and compiling the schema would take longer than all the rest of the start. Knows exactly the
 * keywords that those schemas use, and throws on any other.
 */
export function checkConfig(schema: JsonSchema, value: unknown): Problem[] {
  return check(schema as Schema, value, "");
}

interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema | boolean>>;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
}

type Keyword = (expected: any, value: any, path: string, schema: Schema) => Problem[];

const PASSIVE = ["$schema", "title", "description", "default", "properties", "then", "else"];

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  if: (condition: Schema, value, path, { then: met, else: unmet }) =>
    check(
      (check(condition, value, path).length === 0 ? (met ?? true) : (unmet ?? true)) as Schema | boolean,
      value,
      path,
    ),
  minItems: (least: number, value, path) =>
    !Array.isArray(value) || value.length >= least ? [] : say(path, "minItems", `must have at least ${least} item`),
  minProperties: (least: number, value, path) =>
    !isType("object", value) || Object.keys(value as object).length >= least
      ? []
      : say(path, "minProperties", `must have at least ${least} key`),
  maximum: (most: number, value, path) =>
    typeof value !== "number" || value <= most ? [] : say(path, "maximum", `must be at most ${most}`),
  type: (expected: string, value, path) =>
    isType(expected, value) ? [] : say(path, "type", `must be ${expected}, is ${typeOf(value)}`),
  const: (expected, value, path) =>
    value === expected ? [] : say(path, "const", `must be ${JSON.stringify(expected)}`),
  enum: (expected: unknown[], value, path) =>
    expected.includes(value) ? [] : say(path, "enum", `must be one of ${expected.join(", ")}`),
  required: (expected: string[], value, path) =>
    isType("object", value)
      ? expected
          .filter((key) => !Object.hasOwn(value as object, key))
          .flatMap((key) => say(path, "required", `missing "${key}"`))
      : [],
  additionalProperties: (expected: boolean | Schema, value, path, { properties = {} }) =>
    entriesOf(value).flatMap(([key, member]) => {
      if (Object.hasOwn(properties, key)) return check(properties[key]!, member, path + pointerSegment(key));
      return expected === false
        ? unknownKey(key, Object.keys(properties), path)
        : check(expected as Schema, member, path + pointerSegment(key));
    }),
  propertyNames: (expected: Schema, value, path) =>
    entriesOf(value).flatMap(([key]) =>
      check(expected, key, "").flatMap(({ message }) =>
        say(path + pointerSegment(key), "propertyNames", `the name "${key}" ${message}`),
      ),
    ),
  items: (expected: Schema, value, path) =>
    Array.isArray(value) ? value.flatMap((item, index) => check(expected, item, `${path}/${index}`)) : [],
  anyOf: (options: Schema[], value, path) => checkOptions(options, value, path, (fitting) => fitting > 0),
  oneOf: (options: Schema[], value, path) => checkOptions(options, value, path, (fitting) => fitting === 1),
  minimum: (least: number, value, path) =>
    typeof value !== "number" || value >= least ? [] : say(path, "minimum", `must be at least ${least}`),
  exclusiveMinimum: (least: number, value, path) =>
    typeof value !== "number" || value > least ? [] : say(path, "exclusiveMinimum", `must be more than ${least}`),
  minLength: (least: number, value, path) =>
    typeof value !== "string" || value.length >= least ? [] : say(path, "minLength", "must not be empty"),
  maxLength: (most: number, value, path) =>
    typeof value !== "string" || value.length <= most
      ? []
      : say(path, "maxLength", `must have at most ${most} characters`),
  pattern: (pattern: string, value, path) =>
    typeof value !== "string" || new RegExp(pattern, "u").test(value)
      ? []
      : say(path, "pattern", `must match ${pattern}`),
};

function check(schema: Schema | boolean, value: unknown, path: string): Problem[] {
  if (typeof schema === "boolean") return schema ? [] : say(path, "false", "is not allowed here");
  // What is of the wrong type has no further problems worth telling.
  if (schema.type !== undefined && !isType(schema.type, value))
    return KEYWORDS["type"]!(schema.type, value, path, schema);
  const closed =
    schema.properties && schema.additionalProperties === undefined ? { ...schema, additionalProperties: {} } : schema;
  return Object.entries(closed).flatMap(([keyword, expected]) => {
    if (PASSIVE.includes(keyword)) return [];
    const run = KEYWORDS[keyword];
    if (!run) throw new Error(`The configuration schema uses "${keyword}", which is not known here`);
    return run(expected, value, path, schema);
  });
}

function checkOptions(
  options: readonly Schema[],
  value: unknown,
  path: string,
  enough: (fitting: number) => boolean,
): Problem[] {
  const outcomes = options.map((option) => check(option, value, path));
  if (enough(outcomes.filter((problems) => problems.length === 0).length)) return [];
  if (options.every(({ required }) => required)) {
    const keys = options.map(({ required }) => `"${required!.join('", "')}"`);
    return say(path, "anyOf", `must have ${enough(2) ? "at least" : "exactly"} one of ${keys.join(", ")}`);
  }
  // Only one of them is meant for a value of this type: what that one says is what helps.
  const meant = options.flatMap((option, index) =>
    option.type !== undefined && isType(option.type, value) ? [outcomes[index]!] : [],
  );
  if (meant.length === 1) return meant[0]!;
  return say(path, "anyOf", outcomes.map((problems) => problems[0]?.message).join(", or "));
}

function unknownKey(key: string, known: readonly string[], path: string): Problem[] {
  const near = nearest(key, known);
  return [
    {
      path,
      keyword: "additionalProperties",
      params: { additionalProperty: key },
      message: `unknown key "${key}"${near ? `, did you mean "${near}"?` : ""}`,
    },
  ];
}

function entriesOf(value: unknown): [string, unknown][] {
  return isType("object", value) ? Object.entries(value as object) : [];
}

function isType(type: string, value: unknown): boolean {
  const found = typeOf(value);
  return found === type || (type === "number" && found === "integer");
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
}

function say(path: string, keyword: string, message: string): Problem[] {
  return [{ path, keyword, message }];
}
