import {
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Transport,
} from "@modelcontextprotocol/client";
import { createEventReader } from "./event-stream.ts";
import { toHeaderValue } from "./param-headers.ts";
import type { Post, PostAnswer } from "./post.ts";
import { MAX_MESSAGE } from "./wire.ts";

/** What a call is sent with. */
export interface QuickSendDeps {
  readonly url: URL;
  /** Those of the server, with names in small letters. */
  readonly headers: Readonly<Record<string, string>>;
  readonly post: Post;
  /** Is told of every answer before it is read. */
  seen(answer: PostAnswer): void;
}

type Message = Parameters<Transport["send"]>[0];
type SendOptions = NonNullable<Parameters<Transport["send"]>[1]>;

/** The call of a tool in the new era, which stands alone; undefined for every other message. */
export function toLoneCall(message: Message): JSONRPCRequest | undefined {
  if (!("method" in message && "id" in message) || message.method !== "tools/call") return undefined;
  return typeof message.params?._meta?.[PROTOCOL_VERSION_META_KEY] === "string" ? message : undefined;
}

/**
 * Sends the call of a tool over HTTP and hands over what is answered, as the SDK would, in a fraction of its time. False,
 * before anything was done, for an address that redirects: the SDK knows which to follow.
 */
export async function quickSend(
  call: JSONRPCRequest,
  { headers: given = {}, requestSignal: signal = NEVER, onRequestStreamEnd }: SendOptions,
  { url, headers, post, seen }: QuickSendDeps,
  hear: (message: Message) => void,
): Promise<boolean> {
  const { method, params = {} } = call;
  const answer = await post(url, {
    headers: {
      ...headers,
      ...given,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": String(params._meta?.[PROTOCOL_VERSION_META_KEY]),
      "mcp-method": method,
      "mcp-name": toHeaderValue(String(params["name"])),
    },
    body: JSON.stringify(call),
    signal,
  });
  const { status } = answer;
  seen(answer);
  if (isRedirect(status)) {
    await readText(answer).catch(() => {});
    return false;
  }
  const [type = ""] = (answer.header("content-type") ?? "").toLowerCase().split(";", 1);
  if (status >= 200 && status < 300 && type.trim() === "text/event-stream") {
    const take = (text: string) => {
      const message = parse(text);
      // One event that is no message does not end the stream.
      if (message) hear(message);
    };
    await answer.read(createEventReader(MAX_MESSAGE, take));
    if (!signal.aborted) onRequestStreamEnd?.();
    return true;
  }
  const text = await readText(answer);
  hear(toAnswer(status, type.trim(), text, call));
  onRequestStreamEnd?.();
  return true;
}

const NEVER = new AbortController().signal;

// A browser does not tell which.
function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400);
}

async function readText(answer: PostAnswer): Promise<string> {
  let text = "";
  await answer.read((part) => {
    text += part;
    if (text.length > MAX_MESSAGE) throw new Error(`a message is longer than ${MAX_MESSAGE} bytes`);
  });
  return text;
}

/** The message that an answer is. Throws the errors of the SDK for what is none. */
function toAnswer(status: number, type: string, text: string, { id }: JSONRPCRequest): Message {
  const message = parse(text);
  if (status < 200 || status >= 300) {
    // What the protocol itself refuses says so in its own words.
    if (status === 400 && message && "error" in message && message.id === id) return message;
    throw toHttpError(status, text);
  }
  if (type !== "application/json")
    throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, `Unexpected content type: ${type}`);
  if (!message) throw new SdkError(SdkErrorCode.InvalidResult, "The answer is no message of JSON-RPC");
  return message;
}

function parse(text: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(text);
    return typeof message === "object" && message !== null && "jsonrpc" in message ? (message as Message) : undefined;
  } catch {
    return undefined;
  }
}

function toHttpError(status: number, text: string): SdkHttpError {
  const said = `Error POSTing to endpoint: ${text.slice(0, 2_000)}`;
  return new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, said, { status, text });
}
