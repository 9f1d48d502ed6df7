import type { Json } from "@pegboard/contract";
import { atPointer } from "./json.ts";
import type { Registration } from "./registry.ts";

/**
 * What an answer can hold for that is wider than one input and narrower than the tool: each entry has a name, and behind it
 * the wider names that would cover it too. An answer covers an input if it covers every entry. Empty where the tool has
 * nothing of the kind.
 *
 * Of commands these are the patterns that a rule would have; of a tool that takes a `path`, its folder and those around it.
 */
export function scopesOf(
  { judge, input: schema }: Registration,
  input: Json,
  suggestions: readonly string[] = [],
): readonly (readonly [string, ...string[]])[] {
  if (judge) return suggestions.map((pattern) => [pattern]);
  const { properties } = schema.json as { properties?: { path?: { type?: unknown } } };
  const path = properties?.path?.type === "string" ? atPointer(input, "/path") : undefined;
  const [folder, ...around] = typeof path === "string" ? foldersOf(path) : [];
  return folder === undefined ? [] : [[folder, ...around]];
}

/** The folders of a path, the innermost first, without the root. None where its text does not tell where it leads. */
function foldersOf(path: string): string[] {
  const parts = path.split("/");
  const [first, ...below] = parts;
  const isPlain = first !== "~" && !path.includes("\\") && [...(first === "" ? [] : [first!]), ...below].every(isName);
  if (!isPlain) return [];
  return parts
    .slice(0, -1)
    .map((_, index) => `${parts.slice(0, index + 1).join("/")}/`)
    .filter((folder) => folder !== "/")
    .toReversed();
}

function isName(part: string): boolean {
  return part !== "" && part !== "." && part !== "..";
}
