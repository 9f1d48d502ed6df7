import { nearest } from "./nearest.ts";
import type { EngineError } from "./schema-engine.ts";

/** A problem of a value: JSON pointer of the place ("" is the value itself), and what is wrong there. */
export interface Problem {
  readonly path: string;
  readonly message: string;
  readonly keyword?: string;
  readonly params?: Record<string, unknown>;
}

/** What a check finds: the value to hand on, or every problem. */
export type Checked =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The problems as lines for a person or a model: at most 20, and then how many more there are. */
export function describeProblems(problems: readonly Problem[]): string {
  const lines = problems.slice(0, LINES).map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  if (problems.length > LINES) lines.push(`… and ${problems.length - LINES} more`);
  return lines.join("\n");
}

const LINES = 20;

/** What the engine found, in our words. Values are never repeated, only their types: they may be secrets. */
export function toProblems(errors: readonly EngineError[]): Problem[] {
  // Looking for a near key is the one thing here that takes time.
  let guesses = LINES;
  return errors.map((error) => {
    const keyword = NAMES[error.keyword] ?? error.keyword;
    const guess = UNKNOWN_KEY.has(keyword) && guesses-- > 0 ? guessKey(error) : "";
    const subject = error.propertyName === undefined ? "" : `key ${quote(error.propertyName)} `;
    const message = `${subject}${toMessage(keyword, error)}${guess}`;
    return { path: error.instancePath, message, keyword, params: error.params };
  });
}

/** The type of a JSON value, as JSON Schema calls it. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const NAMES: Record<string, string> = { $among: "enum", $unique: "uniqueItems" };
const UNKNOWN_KEY = new Set(["additionalProperties", "unevaluatedProperties"]);

function guessKey({ parentSchema, params, data }: EngineError): string {
  const known = Object.keys((parentSchema?.properties as object | undefined) ?? {});
  const meant = nearest(
    keyOf(params),
    known.filter((key) => !Object.hasOwn(data as object, key)),
  );
  return meant === undefined ? "" : `, did you mean ${quote(meant)}?`;
}

function toMessage(keyword: string, { params, data, schema }: EngineError): string {
  switch (keyword) {
    case "type":
      return `must be ${[params.type].flat().join(" or ")}, is ${typeOf(data)}`;
    case "required":
      return `missing ${quote(params.missingProperty)}`;
    case "dependentRequired":
      return `missing ${quote(params.missingProperty)}, which ${quote(params.property)} needs`;
    case "additionalProperties":
    case "unevaluatedProperties":
      return `unknown key ${quote(keyOf(params))}`;
    case "enum":
      return `must be ${listValues(params.allowedValues as unknown[])}`;
    case "const":
      return `must be ${quote(params.allowedValue)}`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
    case "exclusiveMaximum":
      return `must be ${params.comparison} ${params.limit}`;
    case "multipleOf":
      return `must be a multiple of ${params.multipleOf}`;
    case "pattern":
      return `must match the pattern ${cut(String(params.pattern), 200)}`;
    case "uniqueItems":
      return `items ${params.i} and ${params.j} are equal`;
    case "contains":
      return `must contain ${countOf(params)} of the items that are asked for`;
    case "oneOf":
    case "anyOf":
      if (Array.isArray(params.passingSchemas))
        return `matches more than one alternative (${params.passingSchemas.join(" and ")})`;
      return `matches none of the ${(schema as unknown[]).length} alternatives`;
    case "not":
      return Object.keys(schema as object).length === 0 ? "is not allowed" : "is what the schema excludes";
    default:
      return toSizeMessage(keyword, params.limit);
  }
}

const SIZES: Record<string, string> = {
  minLength: "at least # characters long",
  maxLength: "at most # characters long",
  minItems: "a list of at least # items",
  maxItems: "a list of at most # items",
  minProperties: "an object of at least # keys",
  maxProperties: "an object of at most # keys",
};

function toSizeMessage(keyword: string, limit: unknown): string {
  const size = SIZES[keyword];
  return size === undefined ? `does not pass ${keyword}` : `must be ${size.replace("#", String(limit))}`;
}

function countOf({ minContains, maxContains }: Record<string, number>): string {
  return maxContains === undefined ? `at least ${minContains}` : `${minContains} to ${maxContains}`;
}

function listValues(values: readonly unknown[]): string {
  if (values.length === 0) return "left out: no value is allowed";
  const shown = values.slice(0, 10).map(quote).join(", ");
  if (values.length === 1) return shown;
  return values.length > 10 ? `one of ${shown}, … (${values.length - 10} more)` : `one of ${shown}`;
}

function keyOf(params: Record<string, unknown>): string {
  return String(params.additionalProperty ?? params.unevaluatedProperty);
}

function quote(value: unknown): string {
  return cut(JSON.stringify(value) ?? "", 100);
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
