import type { JsonSchema } from "@pegboard/contract";
import { isObject } from "./schema-lint.ts";

/** Where a reference leads: the schema there, its path from the root, and the resource it lies in. */
export interface Target {
  readonly schema: unknown;
  readonly path: readonly string[];
  readonly resource: Resource;
}

/** A schema with an address of its own: the root, or a subschema with `$id`. References are relative to it. */
export interface Resource {
  readonly schema: JsonSchema;
  readonly path: readonly string[];
  readonly address: string;
}

/** Finds what references lead to, within one schema and nowhere else. */
export interface References {
  readonly root: Resource;
  /** The resource that begins at this subschema, or the one around it when it has no address. */
  enter(schema: JsonSchema, path: readonly string[], around: Resource): Resource;
  /** The target of a reference; nothing when it is not within the schema. */
  resolve(reference: string, from: Resource): Target | undefined;
}

// Only a base to resolve relative addresses against; nothing is ever read from it.
const NOWHERE = "schema:///";
// What lies below these is data, not schema.
const DATA = new Set(["const", "default", "enum", "example", "examples"]);

/** The references of one schema. The index of addresses and anchors is made when the first one needs it. */
export function toReferences(schema: JsonSchema): References {
  const root: Resource = { schema, path: [], address: addressOf(schema, NOWHERE) ?? NOWHERE };
  let index: Map<string, Target> | undefined;

  return {
    root,
    enter(inner, path, around) {
      const address = inner === around.schema ? undefined : addressOf(inner, around.address);
      if (address === undefined) return around;
      return { schema: inner, path: [...path], address };
    },
    resolve(reference, from) {
      if (reference === "#") return { schema: from.schema, path: from.path, resource: from };
      if (reference.startsWith("#/")) return follow(reference.slice(1), from);
      const absolute = toAbsolute(reference, from.address);
      if (absolute === undefined) return undefined;
      index ??= toIndex(root);
      const [address, fragment = ""] = splitFragment(absolute);
      if (fragment !== "" && !fragment.startsWith("/")) return index.get(absolute);
      const target = index.get(address);
      return target && fragment !== "" ? follow(fragment, target.resource) : target;
    },
  };
}

function follow(pointer: string, from: Resource): Target | undefined {
  let schema: unknown = from.schema;
  let resource = from;
  const path = [...from.path];
  for (const segment of pointer.split("/").slice(1)) {
    const key = decode(segment);
    if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, key)) return undefined;
    schema = (schema as Record<string, unknown>)[key];
    path.push(key);
    const address = isObject(schema) ? addressOf(schema, resource.address) : undefined;
    if (address !== undefined) resource = { schema: schema as JsonSchema, path: [...path], address };
  }
  return { schema, path, resource };
}

function toIndex(root: Resource): Map<string, Target> {
  const index = new Map<string, Target>();
  visit(root.schema, [], root);
  return index;

  function visit(value: unknown, path: readonly string[], around: Resource): void {
    if (typeof value !== "object" || value === null) return;
    let resource = around;
    if (isObject(value)) {
      const address = addressOf(value, around.address);
      if (address !== undefined && value !== root.schema) resource = { schema: value, path, address };
      if (resource.schema === value) index.set(resource.address, { schema: value, path, resource });
      for (const anchor of [value.$anchor, value.$dynamicAnchor, anchorOfId(value.$id)]) {
        if (typeof anchor === "string") index.set(`${resource.address}#${anchor}`, { schema: value, path, resource });
      }
    }
    for (const [key, member] of Object.entries(value)) {
      if (!DATA.has(key)) visit(member, [...path, key], resource);
    }
  }
}

function addressOf(schema: JsonSchema, base: string): string | undefined {
  const { $id } = schema;
  if (typeof $id !== "string" || $id.startsWith("#")) return undefined;
  const absolute = toAbsolute($id, base);
  return absolute === undefined ? undefined : splitFragment(absolute)[0];
}

/** Up to draft-07 an anchor is written as an `$id` that is only a fragment. */
function anchorOfId(id: unknown): string | undefined {
  return typeof id === "string" && id.startsWith("#") ? id.slice(1) : undefined;
}

function toAbsolute(reference: string, base: string): string | undefined {
  return URL.canParse(reference, base) ? new URL(reference, base).href : undefined;
}

function splitFragment(address: string): [string, string?] {
  const at = address.indexOf("#");
  return at < 0 ? [address] : [address.slice(0, at), address.slice(at + 1)];
}

function decode(segment: string): string {
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {
    // A stray percent sign stands for itself.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~");
}
