import {
  type Content,
  ERRORS,
  type ErrorCode,
  type Failure,
  type Json,
  type Result,
  type ResultMeta,
} from "@pegboard/contract";
import { PegboardError, toFailure } from "./error.ts";
import { exceeds } from "./json.ts";
import { toBase64, toJson } from "./to-json.ts";
import { detach } from "./utf8.ts";

// Held from the start: a tool that patches `JSON` in this process must not change what is logged.
const stringify = JSON.stringify;

/** A failed result of whatever was thrown: the model reads the message. Never throws. */
export function toFailedResult(thrown: unknown): Result {
  const error = toFailure(thrown);
  return { ok: false, content: [{ type: "text", text: error.message }], error, meta: {} };
}

/**
 * What a tool returned, as a result. The value is read once. Text is text, also "" and also text that begins with
 * "Error:"; a value with content blocks or a declared failure is a result; any other value is structured, with its JSON
 * as text. Throws `tool_error` for what has no stable form.
 */
export function toResult(value: unknown): Result {
  if (typeof value === "string") return { ok: true, content: [{ type: "text", text: value }], meta: {} };
  if (value === undefined) return { ok: true, content: [], meta: {} };
  try {
    if (value instanceof Uint8Array) return toBinaryResult(value);
    if (value instanceof ArrayBuffer) return toBinaryResult(new Uint8Array(value));
    return isResultLike(value) ? fromResultLike(value) : toStructuredResult(value);
  } catch (error) {
    if (error instanceof PegboardError) throw error;
    throw new PegboardError("tool_error", "The tool returned a value that throws when it is read", { cause: error });
  }
}

/** Whether a caller would get more text than so many characters. */
export function isTooLong(result: Result, most: number): boolean {
  return result.meta.cut !== undefined || lengthOf(result) > most || exceeds(result.structured, most);
}

/** How long all text of a result is, without making it. */
function lengthOf({ content }: Result): number {
  let length = -1;
  for (const block of content) if (block.type === "text") length += block.text.length + 1;
  return length;
}

/** All text of a result. */
export function textOf({ content }: Result): string {
  return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
}

/** The result with text that is well-formed. */
export function toWellFormed(result: Result): Result {
  if (result.content.every((block) => block.type !== "text" || block.text.isWellFormed())) return result;
  return {
    ...result,
    content: result.content.map((block) =>
      block.type === "text" ? { ...block, text: block.text.toWellFormed() } : block,
    ),
  };
}

/**
 * The beginning of a result that is too long, with a note of what is missing and, where the whole text is kept, how to
 * read on. Structured content goes: half of it would be wrong.
 */
export function cutResult(result: Result, most: number, handle?: string): Result {
  const text = textOf(result);
  const kept = Math.min(text.length, most);
  // What was cut before tells itself how much there was, if anybody knows.
  const all = result.meta.cut === undefined ? text.length : result.meta.cut.characters;
  const { structured: _, ...rest } = result;
  const shown = all !== undefined ? `the first ${kept} of ${all} characters` : `the first ${kept} characters`;
  const further = handle === undefined ? "" : `; read on with read_result {"handle":"${handle}","offset":${kept}}`;
  const others = result.content.filter((block) => block.type !== "text");
  return {
    ...rest,
    content: [
      { type: "text", text: detach(text.slice(0, kept)) },
      ...others,
      { type: "text", text: `[cut: ${shown} are shown${further}]` },
    ],
    meta: {
      ...result.meta,
      cut: { kept, ...(all !== undefined && { characters: all }), ...(handle !== undefined && { handle }) },
    },
  };
}

function toStructuredResult(value: unknown): Result {
  const { json, complete } = toJson(value);
  const text = typeof json === "string" ? json : stringify(json);
  const content: Content[] = [{ type: "text", text }];
  return complete
    ? { ok: true, content, structured: json, meta: {} }
    : { ok: true, content, meta: { cut: { kept: text.length } } };
}

function toBinaryResult(bytes: Uint8Array): Result {
  const resource = { uri: "data:", mimeType: "application/octet-stream", blob: toBase64(bytes) };
  return { ok: true, content: [{ type: "resource", resource }], meta: { kind: "binary" } };
}

interface ResultLike {
  readonly ok?: unknown;
  readonly isError?: unknown;
  readonly content?: readonly unknown[];
  readonly structured?: unknown;
  readonly structuredContent?: unknown;
  readonly error?: unknown;
  readonly meta?: unknown;
}

// A value that merely has a field named `content` is data; one block of a known type makes it a result.
function isResultLike(value: unknown): value is ResultLike {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  const { ok, content, error } = value as Record<string, unknown>;
  if (ok === false && typeof error === "object" && error !== null) return true;
  if (!Array.isArray(content)) return false;
  const declared =
    typeof ok === "boolean" || ["structured", "structuredContent", "isError"].some((key) => key in value);
  return content.length === 0
    ? declared
    : content.some((block: unknown) =>
        Object.hasOwn(CONTENT_PROBLEM, String((block as { type?: unknown } | null)?.type)),
      );
}

function fromResultLike(value: ResultLike): Result {
  const { ok, isError, error } = value;
  const given = value.structured ?? value.structuredContent;
  const structured = given === undefined ? undefined : toJson(given).json;
  const meta = typeof value.meta === "object" && value.meta !== null ? (toJson(value.meta).json as ResultMeta) : {};
  const blocks = (value.content ?? []).map(toContent);
  const succeeded = ok !== false && isError !== true && (error === undefined || error === null);
  const failure = succeeded ? undefined : toDeclaredFailure(error, blocks);
  const text = failure?.message ?? (structured === undefined ? undefined : stringify(structured));
  return {
    ok: succeeded,
    content: blocks.length > 0 || text === undefined ? blocks : [{ type: "text", text }],
    ...(structured !== undefined && { structured }),
    ...(failure && { error: failure }),
    meta,
  };
}

function toDeclaredFailure(error: unknown, content: readonly Content[]): Failure {
  const said = typeof error === "string" ? { message: error } : ((error ?? {}) as Partial<Failure>);
  const text = content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
  const code: ErrorCode = typeof said.code === "string" && Object.hasOwn(ERRORS, said.code) ? said.code : "tool_error";
  return {
    code,
    message:
      typeof said.message === "string" && said.message !== ""
        ? said.message.toWellFormed()
        : text || "The tool failed without saying why",
    retryable: said.retryable === true,
    ...(said.details !== undefined && { details: toJson(said.details).json }),
  };
}

/** One block of content, as JSON. Throws `tool_error` for what is none; the index says which. */
export function toContent(block: unknown, index: number): Content {
  const json = toJson(block).json as Record<string, Json>;
  const type = String(json?.["type"]);
  const problem = Object.hasOwn(CONTENT_PROBLEM, type)
    ? CONTENT_PROBLEM[type as Content["type"]](json)
    : `type "${type}" is unknown`;
  if (problem)
    throw new PegboardError("tool_error", `The tool returned content that is not valid: block ${index}: ${problem}`);
  return json as unknown as Content;
}

type Fields = Record<string, Json>;

const CONTENT_PROBLEM: Record<Content["type"], (block: Fields) => string | undefined> = {
  text: (block) => needText(block, "text"),
  image: (block) => needText(block, "mimeType") ?? needBase64(block, "data"),
  audio: (block) => needText(block, "mimeType") ?? needBase64(block, "data"),
  resource_link: (block) => needText(block, "uri") ?? needText(block, "name"),
  resource: ({ resource }) => {
    if (typeof resource !== "object" || resource === null || Array.isArray(resource))
      return "resource must be an object";
    const fields = resource as Fields;
    return (
      needText(fields, "uri") ?? (fields["blob"] === undefined ? needText(fields, "text") : needBase64(fields, "blob"))
    );
  },
};

function needText(block: Fields, field: string): string | undefined {
  return typeof block[field] === "string" ? undefined : `${field} must be a text`;
}

function needBase64(block: Fields, field: string): string | undefined {
  const value = block[field];
  return typeof value === "string" && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value) ? undefined : `${field} must be base64`;
}
