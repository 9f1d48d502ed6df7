import type { ToolView } from "../core/tool-view.ts";

/** The longest catalogue, in characters: about a thousand tokens. */
const LONGEST = 4_000;

/** What there is, by where it comes from: all names where there is room, else how many. */
export function toCatalogue(tools: readonly ToolView[]): string {
  const groups = [...Map.groupBy(tools, ({ source }) => source.plugin ?? source.id)].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  const names = groups.map(([id, group]) => `${id}: ${group.map(({ name }) => withoutPrefix(name)).join(", ")}`);
  const named = `The others, by where they come from:\n${names.join("\n")}`;
  if (named.length <= LONGEST) return named;
  const counted = groups.map(([id, group]) => `${id} (${group.length})`).join(", ");
  const text = `The others, by where they come from: ${counted}`;
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}… ${tools.length} tools in all`;
}

function withoutPrefix(name: string): string {
  const at = name.indexOf("__");
  return at < 0 ? name : name.slice(at + 2);
}
