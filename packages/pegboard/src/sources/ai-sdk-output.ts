import { type Content, type ErrorCode, fail, type ToolContext, type ToolReturn } from "@pegboard/contract";
import { toBase64 } from "../core/to-json.ts";

/** The part of an AI SDK tool that decides what the model reads of its output. */
export interface ModelOutputTool {
  /** Version 5 calls it with the output, later versions with `{ toolCallId, input, output }`. */
  readonly toModelOutput?: ((outputOrOptions: any) => unknown) | undefined;
  /** Version 4: an array of text and image parts. */
  readonly experimental_toToolResultContent?: ((output: any) => unknown) | undefined;
}

/** One call that has run. */
interface ModelOutputCall {
  readonly toolCallId: string;
  readonly input: unknown;
  readonly output: unknown;
}

/**
 * The output of an AI SDK tool. Of a stream, the last value; those before it are progress, told as soon as the tool works
 * on after them. A cancelled stream is closed at its next value.
 */
export async function readOutput(returned: unknown, context: ToolContext): Promise<unknown> {
  return isAsyncIterable(returned) ? lastOf(returned, context) : returned;
}

/**
 * What a Pegboard tool returns for the output of an AI SDK tool: the tool's own conversion decides what the model reads,
 * while programs get the raw output. Without a conversion, or when it throws or makes no sense, the output itself.
 */
export async function toModelReturn(tool: ModelOutputTool, call: ModelOutputCall): Promise<ToolReturn> {
  if (tool.toModelOutput) return (await convert(tool, call)) ?? call.output;
  if (tool.experimental_toToolResultContent) {
    const parts = () => ({ type: "content", value: tool.experimental_toToolResultContent?.(call.output) });
    return (await attempt(parts, call.output)) ?? call.output;
  }
  return call.output;
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as AsyncIterable<unknown> | undefined | null)?.[Symbol.asyncIterator] === "function";
}

async function lastOf(values: AsyncIterable<unknown>, context: ToolContext): Promise<unknown> {
  const iterator = values[Symbol.asyncIterator]();
  let last: unknown;
  let step = await iterator.next();
  while (step.done !== true) {
    if (context.signal.aborted) {
      await iterator.return?.();
      throw context.signal.reason;
    }
    last = step.value;
    const next = iterator.next();
    const soon = await Promise.race([next, new Promise<undefined>((resolve) => setTimeout(resolve))]);
    if (soon?.done !== true) context.progress(toShortText(last));
    step = await next;
  }
  return last;
}

function toShortText(value: unknown): string {
  const most = 200;
  try {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
    return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
  } catch {
    return "…";
  }
}

// Nothing on a tool says which version it was written for, but the way it reads its argument does: a version 5 function
// takes the options for the output, and so reads other fields than theirs, or all of them.
async function convert(tool: ModelOutputTool, call: ModelOutputCall): Promise<ToolReturn | undefined> {
  let isMistaken = false;
  const mistake = () => void (isMistaken = true);
  const options = new Proxy(call, {
    get: (target, key) => (Object.hasOwn(target, key) ? target[key as keyof ModelOutputCall] : mistake()),
    has: (target, key) => Object.hasOwn(target, key) || (mistake(), false),
    ownKeys: (target) => (mistake(), Reflect.ownKeys(target)),
    getPrototypeOf: (target) => (mistake(), Reflect.getPrototypeOf(target)),
  });
  const converted = await attempt(() => tool.toModelOutput?.(options), call.output);
  if (converted !== undefined && !isMistaken) return converted;
  return (await attempt(() => tool.toModelOutput?.(call.output), call.output)) ?? converted;
}

async function attempt(run: () => unknown, output: unknown): Promise<ToolReturn | undefined> {
  try {
    return toReturn((await run()) as Readonly<Record<string, unknown>>, output);
  } catch {
    return undefined;
  }
}

function toReturn({ type, value, reason }: Readonly<Record<string, unknown>>, output: unknown): ToolReturn | undefined {
  const structured = output === undefined ? {} : { structured: output };
  switch (type) {
    case "text":
      return typeof value === "string" ? { ok: true, content: [toText(value)], ...structured } : undefined;
    case "json":
      return value === undefined ? undefined : { ok: true, content: [toText(JSON.stringify(value))], ...structured };
    case "content":
      return { ok: true, content: (value as Part[]).map(toBlock), ...structured };
    case "error-text":
      return typeof value === "string" ? { ...toFailed("tool_error", value), ...structured } : undefined;
    case "error-json":
      return value === undefined ? undefined : { ...toFailed("tool_error", JSON.stringify(value)), ...structured };
    case "execution-denied":
      return toFailed(
        "denied",
        typeof reason === "string" && reason !== "" ? reason : "The tool denied its own execution",
      );
    default:
      return undefined;
  }
}

function toFailed(code: ErrorCode, message: string) {
  return fail(code, message === "" ? "The tool failed without saying why" : message);
}

function toText(text: string): Content {
  return { type: "text", text };
}

/** One part of a `content` output, in the words of versions 4 (`mimeType`) to 7 (`data: { type, … }`). */
interface Part {
  readonly type: string;
  readonly text?: string;
  readonly data?: unknown;
  readonly url?: unknown;
  readonly mediaType?: string;
  readonly mimeType?: string;
  readonly filename?: string;
}

// What has no block of its own, such as a file that lies with a provider, reaches the model as JSON.
function toBlock(part: Part): Content {
  const { type, text, mediaType = part.mimeType, filename } = part;
  const tagged = (typeof part.data === "object" && part.data !== null ? part.data : {}) as Readonly<
    Record<string, unknown>
  >;
  const data = tagged["data"] ?? part.data;
  const url = tagged["url"] ?? part.url;
  if (type === "text" && typeof text === "string") return toText(text);
  if (typeof data === "string")
    return toMedia(data, mediaType ?? (type === "image" ? "image/png" : undefined), filename);
  if (data instanceof Uint8Array) return toMedia(toBase64(data), mediaType, filename);
  if (data instanceof ArrayBuffer) return toMedia(toBase64(new Uint8Array(data)), mediaType, filename);
  if (url !== undefined) {
    const uri = String(url);
    return { type: "resource_link", uri, name: filename ?? uri, ...(mediaType && { mimeType: mediaType }) };
  }
  if (typeof tagged["text"] === "string") {
    return {
      type: "resource",
      resource: { uri: toUri(filename), text: tagged["text"], ...(mediaType && { mimeType: mediaType }) },
    };
  }
  return toText(JSON.stringify(part));
}

function toMedia(data: string, mimeType = "application/octet-stream", filename?: string): Content {
  const [family] = mimeType.split("/");
  if (family === "image" || family === "audio") return { type: family, data, mimeType };
  return { type: "resource", resource: { uri: toUri(filename), mimeType, blob: data } };
}

function toUri(filename: string | undefined): string {
  return filename === undefined ? "data:" : `attachment:${encodeURIComponent(filename)}`;
}
