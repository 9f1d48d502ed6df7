import type { Json, JsonSchema } from "@pegboard/contract";

/**
 * What is wrong with the headers that a schema wants to repeat arguments in; undefined when nothing is. A tool that could
 * send any header is not used.
 */
export function headerProblem(schema: JsonSchema): string | undefined {
  const declared = declarationsIn(schema);
  if (declared.some(({ type }) => !SENDABLE.includes(type as string)))
    return `an x-mcp-header of it stands for what is none of ${SENDABLE.join(", ")}`;
  const names = declared.map(({ header }) => header);
  if (!names.every(isName)) return "an x-mcp-header of it is no name of a header";
  const distinct = new Set(names.map((name) => name.toLowerCase()));
  return distinct.size < names.length ? "an x-mcp-header of it stands there twice" : undefined;
}

/**
 * The headers that repeat arguments of a call, as the schema of its tool wants them. Arguments that are not there, and
 * values that have no one form as a text, are left out.
 */
export function toParamHeaders(schema: JsonSchema, input: Json): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const { path, header } of declarationsIn(schema)) {
    const text = toText(valueAt(input, path));
    if (text !== undefined) headers[`mcp-param-${String(header).toLowerCase()}`] = toHeaderValue(text);
  }
  return headers;
}

/** A text as a header can carry it: itself where that is plain, else in base64. */
export function toHeaderValue(text: string): string {
  const isPlain = /^[!-~](?:[\t -~]*[!-~])?$/.test(text) && !(text.startsWith(OPENING) && text.endsWith(CLOSING));
  if (isPlain) return text;
  const bytes = Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte));
  return `${OPENING}${btoa(bytes.join(""))}${CLOSING}`;
}

/** The types whose values have one form as a text. */
const SENDABLE: readonly string[] = ["string", "integer", "boolean"];
const OPENING = "=?base64?";
const CLOSING = "?=";
/** Deeper than this no argument is repeated. */
const DEEPEST = 16;

interface Declaration {
  readonly path: readonly string[];
  readonly header: unknown;
  readonly type: unknown;
}

const known = new WeakMap<JsonSchema, readonly Declaration[]>();

/** The same for every call of a tool: a schema is looked through once. */
function declarationsIn(schema: JsonSchema): readonly Declaration[] {
  const found = known.get(schema) ?? declarationsOf(schema, []);
  known.set(schema, found);
  return found;
}

/** The declarations of a schema: of properties, and of their properties. */
function declarationsOf(schema: unknown, path: readonly string[]): readonly Declaration[] {
  const { "x-mcp-header": header, type, properties } = Object(schema) as JsonSchema;
  const inner = path.length < DEEPEST ? Object.entries(Object(properties) as object) : [];
  return [
    ...(path.length > 0 && header !== undefined ? [{ path, header, type }] : []),
    ...inner.flatMap(([name, one]) => declarationsOf(one, [...path, name])),
  ];
}

function isName(header: unknown): header is string {
  return typeof header === "string" && /^[A-Za-z0-9-]{1,64}$/.test(header);
}

function valueAt(value: Json, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => {
    const fields = Object(at) as Record<string, unknown>;
    return Object.hasOwn(fields, name) ? fields[name] : undefined;
  }, value);
}

function toText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "boolean" || Number.isSafeInteger(value) ? String(value) : undefined;
}
