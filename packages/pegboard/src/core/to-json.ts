import type { Json } from "@pegboard/contract";
import { PegboardError } from "./error.ts";

const MAX_DEPTH = 512;

/** How many characters of a value are kept before the rest of it is left out. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * A stable JSON form of whatever a tool returned, each property read once: dates are ISO texts, big integers their
 * digits, bytes a base64 data URL, maps objects (or pairs), sets arrays, NaN and infinities null, functions and undefined
 * properties left out, a cycle the text "[circular]". `complete` is false when the value was too big and is cut off.
 * Throws `tool_error` for a function, a symbol and for what is nested too deeply; lets errors of getters pass.
 */
export function toJson(value: unknown): { readonly json: Json; readonly complete: boolean } {
  const walk: Walk = { open: new Set(), left: MAX_CHARACTERS };
  const json = visit(value, walk);
  if (json === undefined)
    throw new PegboardError("tool_error", `The tool returned a ${typeof value}, which has no JSON form`);
  return { json, complete: walk.left >= 0 };
}

/** Base64 of bytes, in any runtime. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary);
}

interface Walk {
  readonly open: Set<object>;
  left: number;
}

function visit(value: unknown, walk: Walk): Json | undefined {
  switch (typeof value) {
    case "string":
      walk.left -= value.length + 2;
      return walk.left < 0
        ? value.slice(0, Math.max(0, walk.left + value.length)).toWellFormed()
        : value.toWellFormed();
    case "number":
      walk.left -= 4;
      return Number.isFinite(value) ? value : null;
    case "boolean":
      walk.left -= 4;
      return value;
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? null : visitObject(value, walk);
    default:
      return undefined;
  }
}

function visitObject(value: object, walk: Walk): Json | undefined {
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof ArrayBuffer) return toDataUrl(new Uint8Array(value), walk);
  if (ArrayBuffer.isView(value))
    return toDataUrl(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), walk);
  if (walk.open.has(value)) return "[circular]";
  if (walk.open.size >= MAX_DEPTH)
    throw new PegboardError("tool_error", `The tool returned a value nested deeper than ${MAX_DEPTH}`);
  walk.open.add(value);
  try {
    if (Array.isArray(value)) return visitItems(value, walk);
    if (value instanceof Set) return visitItems([...value], walk);
    if (value instanceof Map) return visitMap(value, walk);
    const { toJSON } = value as { toJSON?: unknown };
    if (typeof toJSON === "function") return visit((toJSON as () => unknown).call(value), walk);
    if (value instanceof Error)
      return visitEntries([["name", value.name], ["message", value.message], ...Object.entries(value)], walk);
    return visitEntries(Object.entries(value), walk);
  } finally {
    walk.open.delete(value);
  }
}

function visitMap(value: Map<unknown, unknown>, walk: Walk): Json {
  const entries = [...value];
  if (!entries.every(([key]) => typeof key === "string")) return visitItems(entries, walk);
  return visitEntries(entries as [string, unknown][], walk);
}

function visitItems(items: readonly unknown[], walk: Walk): Json {
  const copied: Json[] = [];
  for (let index = 0; index < items.length && walk.left >= 0; index++) {
    walk.left -= 1;
    copied.push(visit(items[index], walk) ?? null);
  }
  return copied;
}

function visitEntries(entries: readonly (readonly [string, unknown])[], walk: Walk): Json {
  const copied: Record<string, Json> = {};
  for (const [key, member] of entries) {
    if (walk.left < 0) break;
    const json = visit(member, walk);
    if (json === undefined) continue;
    walk.left -= key.length + 4;
    // Assigning would set the prototype.
    if (key === "__proto__")
      Object.defineProperty(copied, key, { value: json, enumerable: true, writable: true, configurable: true });
    else copied[key.toWellFormed()] = json;
  }
  return copied;
}

function toDataUrl(bytes: Uint8Array, walk: Walk): string {
  const kept = bytes.subarray(0, Math.max(0, walk.left));
  walk.left -= bytes.length;
  return `data:application/octet-stream;base64,${toBase64(kept)}`;
}
