import { nameProblem, SEPARATOR } from "../../core/name.ts";

/** The longest name of a server: it leaves room for the names of its tools. */
export const MAX_SOURCE = 40;

const MAX_FULL = 64;

/**
 * The name under which the tools of a server hang: its own where it can be one, else one made of it. That of a plugin's
 * server carries the plugin's. It depends on nothing else, so it stays the same whatever else comes and goes.
 */
export function toSourceName(server: string, plugin?: string): string {
  const wanted = plugin === undefined || plugin === server ? server : `${plugin}-${server}`;
  return toName(wanted, MAX_SOURCE);
}

/** The name of a tool behind that of its server: its own where that can be, else one made of it. Stable in the same way. */
export function toToolName(tool: string, source: string): string {
  return toName(tool, MAX_FULL - source.length - SEPARATOR.length);
}

// The hash is always there when a name was changed: else the name of one tool could depend on which others there are.
function toName(wanted: string, most: number): string {
  if (nameProblem(wanted) === undefined && wanted.length <= most) return wanted;
  const plain = wanted
    .replaceAll(/[^A-Za-z0-9_-]+/g, "_")
    .replaceAll(/_{2,}/g, "_")
    .replace(/^[^A-Za-z]+/, "");
  const hash = shortHash(wanted);
  const kept = plain.slice(0, Math.max(0, most - hash.length - 1)).replace(/_+$/, "");
  return kept === "" ? `t${hash}`.slice(0, most) : `${kept}_${hash}`;
}

/** Seven letters and digits that tell texts apart (FNV-1a over UTF-16 code units). */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash ^= text.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return (hash >>> 0).toString(36).padStart(7, "0");
}
