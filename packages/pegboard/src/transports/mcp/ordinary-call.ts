import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/server";
import type { Json } from "@pegboard/contract";
import type { RpcMessage } from "./message.ts";
import { isRecord, LEVELS, type RpcId } from "./message-params.ts";
import type { Era } from "./seat.ts";

/** A call of a tool with which all is in order. */
export interface OrdinaryCall {
  readonly id: RpcId;
  readonly name: string;
  readonly input: Json;
  readonly meta: Readonly<Record<string, unknown>>;
}

const REVISION = "2026-07-28";
const METHOD = "tools/call";
const RESERVED = "io.modelcontextprotocol/";
const ENVELOPE = new Set([
  PROTOCOL_VERSION_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
] as readonly string[]);

/**
 * A message as the call that it is, in an era. Undefined for everything else, also for what is merely unusual: that is the
 * SDK's, which knows what is wrong with it.
 */
export function toOrdinaryCall({ id, method, params }: RpcMessage, era: Era): OrdinaryCall | undefined {
  if (method !== METHOD || id === undefined || !params) return undefined;
  const { name, arguments: input = {}, _meta: meta = NO_META } = params;
  if (typeof name !== "string" || !isRecord(meta)) return undefined;
  for (const key in params) if (key !== "name" && key !== "arguments" && key !== "_meta") return undefined;
  for (const key in meta) if (key.startsWith(RESERVED) && (era === "legacy" || !ENVELOPE.has(key))) return undefined;
  return era === "legacy" || isEnvelope(meta) ? { id, name, input: input as Json, meta } : undefined;
}

/** Whether the headers of a request say the same as its body. */
export function saysTheSame({ name }: OrdinaryCall, headers: Headers): boolean {
  const says = (header: string, value: string) => headers.get(header) === value;
  return says("mcp-protocol-version", REVISION) && says("mcp-method", METHOD) && says("mcp-name", name);
}

function isEnvelope(meta: Readonly<Record<string, unknown>>): boolean {
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY];
  const client = meta[CLIENT_INFO_META_KEY] ?? NOBODY;
  return (
    meta[PROTOCOL_VERSION_META_KEY] === REVISION &&
    isRecord(capabilities) &&
    Object.values(capabilities).every(isRecord) &&
    isRecord(client) &&
    typeof client["name"] === "string" &&
    typeof client["version"] === "string" &&
    LEVELS.includes((meta[LOG_LEVEL_META_KEY] ?? LEVELS[0]) as string)
  );
}

const NO_META: OrdinaryCall["meta"] = {};
const NOBODY = { name: "", version: "" };
