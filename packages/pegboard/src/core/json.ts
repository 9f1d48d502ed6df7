import type { Json } from "@pegboard/contract";
import { PegboardError } from "./error.ts";
import { toPassingBytes } from "./utf8.ts";

// Held from the start: a tool that patches `JSON` in this process must not change what is logged.
const stringify = JSON.stringify;

const MAX_DEPTH = 128;
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * A copy of a value that must be JSON, read once, sharing nothing with the original. Throws `invalid_input` for what has
 * no JSON form, for a `__proto__` key, and for what is too deep or too big. Properties that are undefined are left out.
 */
export function copyJson(value: unknown): Json {
  return copy(value, { path: [], left: MAX_CHARACTERS }) as Json;
}

/** Copies what is known to be JSON already. */
export function cloneJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(cloneJson) as T;
  const clone: Record<string, unknown> = {};
  for (const key of Object.keys(value)) clone[key] = cloneJson((value as Record<string, unknown>)[key]);
  return clone as T;
}

/** Whether the JSON text of a value would be longer than so many characters, about; stops counting when it is. */
export function exceeds(value: Json | undefined, characters: number): boolean {
  return remaining(value, characters) < 0;
}

/** JSON text with sorted keys: two values are equal exactly when their canonical texts are. */
export function canonicalJson(value: unknown): string {
  if (typeof value !== "object" || value === null) return stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return `{${entries.map(([key, member]) => `${stringify(key)}:${canonicalJson(member)}`).join(",")}}`;
}

/** The SHA-256 of a text, in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  // What is digested is copied first.
  return digest(toPassingBytes(text));
}

/** The SHA-256 of the UTF-16 code units of a text, little-endian, in hexadecimal: it tells lone surrogates apart. */
export async function sha256Units(text: string): Promise<string> {
  const units = new DataView(new ArrayBuffer(text.length * 2));
  for (let index = 0; index < text.length; index++) units.setUint16(index * 2, text.charCodeAt(index), true);
  return digest(units);
}

/** One segment of a JSON pointer, escaped. */
export function pointerSegment(key: string | number): string {
  return `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The value a JSON pointer names, or undefined; only own properties count. */
export function atPointer(value: unknown, pointer: string): unknown {
  if (pointer === "") return value;
  let found = value;
  for (const segment of pointer.slice(1).split("/")) {
    const key = segment.includes("~") ? segment.replaceAll("~1", "/").replaceAll("~0", "~") : segment;
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return found;
}

async function digest(bytes: BufferSource): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function remaining(value: Json | undefined, left: number): number {
  if (typeof value === "string") return left - value.length - 2;
  if (typeof value !== "object" || value === null) return left - 4;
  for (const key of Object.keys(value)) {
    left = remaining((value as Record<string, Json>)[key], left - key.length - 4);
    if (left < 0) return left;
  }
  return left - 2;
}

interface Walk {
  /** The keys that lead to where the walk is. */
  readonly path: (string | number)[];
  left: number;
}

function copy(value: unknown, walk: Walk): unknown {
  switch (typeof value) {
    case "string":
      spend(walk, value.length);
      return value;
    case "number":
      if (!Number.isFinite(value)) throw refuse(walk, `${value} has no JSON form`);
      spend(walk, 8);
      return value;
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      if (walk.path.length >= MAX_DEPTH) throw refuse(walk, `nested deeper than ${MAX_DEPTH}`);
      return Array.isArray(value) ? copyArray(value, walk) : copyObject(value, walk);
    default:
      throw refuse(walk, `a ${typeof value} has no JSON form`);
  }
}

function copyArray(value: readonly unknown[], walk: Walk): unknown[] {
  spend(walk, 2 * value.length);
  // One that grows item by item takes room for seventeen.
  const copied: unknown[] = Array.from({ length: value.length });
  for (let index = 0; index < copied.length; index++) {
    const item = value[index];
    copied[index] = item === undefined ? null : copyBelow(index, item, walk);
  }
  return copied;
}

function copyObject(value: object, walk: Walk): object {
  const prototype = Object.getPrototypeOf(value) as unknown;
  // Objects of another realm have another Object.prototype, whose own prototype is null.
  if (prototype !== null && prototype !== Object.prototype && Object.getPrototypeOf(prototype) !== null) {
    throw refuse(walk, `a ${value.constructor?.name ?? "class instance"} has no JSON form`);
  }
  const copied: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (key === "__proto__") throw refuse(walk, 'a key named "__proto__" is not allowed');
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    spend(walk, key.length + 4);
    copied[key] = copyBelow(key, member, walk);
  }
  return copied;
}

function copyBelow(key: string | number, value: unknown, walk: Walk): unknown {
  walk.path.push(key);
  const copied = copy(value, walk);
  walk.path.pop();
  return copied;
}

function spend(walk: Walk, characters: number): void {
  walk.left -= characters;
  if (walk.left < 0) throw new PegboardError("invalid_input", `The input is bigger than ${MAX_CHARACTERS} characters`);
}

function refuse({ path }: Walk, problem: string): PegboardError {
  const where = path.map(pointerSegment).join("");
  return new PegboardError("invalid_input", `The input is not JSON: ${where === "" ? "" : `${where}: `}${problem}`);
}
