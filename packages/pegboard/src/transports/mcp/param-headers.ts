import { isRecord } from "./message-params.ts";

/** Under which a property of an input schema names the header that repeats it. */
const DECLARED = "x-mcp-header";
const PREFIX = "mcp-param-";

/**
 * What is wrong with the headers that repeat arguments of a call; undefined when nothing is. Whoever routes by a header must
 * see what the tool gets.
 */
export function paramHeaderProblem(schema: object, input: unknown, headers: Headers): string | undefined {
  for (const { path, header } of declarationsIn(schema)) {
    const sent = headers.get(PREFIX + header);
    const given = valueAt(input, path);
    const place = `header ${PREFIX}${header} and argument "${path.join(".")}"`;
    if (given === undefined || given === null) {
      if (sent !== null) return `${place} differ: there is no such argument`;
      continue;
    }
    if (sent === null) return `${place} differ: there is no such header`;
    const decoded = decode(sent);
    if (decoded === undefined) return `header ${PREFIX}${header} is not well-formed base64`;
    if (!isEqual(decoded, given)) return `${place} differ`;
  }
  return undefined;
}

interface Declaration {
  readonly path: readonly string[];
  readonly header: string;
}

const known = new WeakMap<object, readonly Declaration[]>();

/** The same for every call of a tool: a schema is looked through once. */
function declarationsIn(schema: object): readonly Declaration[] {
  const found = known.get(schema) ?? declarationsOf(schema);
  known.set(schema, found);
  return found;
}

/** The declarations of a schema: of properties, and of their properties. */
function declarationsOf(schema: unknown, path: readonly string[] = []): readonly Declaration[] {
  if (!isRecord(schema)) return [];
  const { [DECLARED]: header, properties } = schema;
  const own = path.length > 0 && typeof header === "string" && TOKEN.test(header) ? [{ path, header }] : [];
  if (!isRecord(properties)) return own;
  return own.concat(Object.entries(properties).flatMap(([name, one]) => declarationsOf(one, [...path, name])));
}

const TOKEN = /^[!#$%&'*+\-.^_`|~\w]+$/;
const ENCODED = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;

/** The text of a header; undefined when it says that it is encoded, and is not. */
function decode(sent: string): string | undefined {
  if (!sent.startsWith("=?base64?") || !sent.endsWith("?=")) return sent;
  try {
    const bytes = Uint8Array.from(atob(ENCODED.exec(sent)![1]!), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function isEqual(text: string, given: unknown): boolean {
  if (typeof given === "number") return text.trim() !== "" && Number(text) === given;
  return text === (typeof given === "string" ? given : JSON.stringify(given));
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, name) => (isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);
}
