import { matchesName, SEPARATOR } from "./name.ts";
import { boardOf, type Registration, type Registry } from "./registry.ts";

/** What of a registration says whether a name in a list or a rule means it. It must be the one on the board. */
export type NamedTool = Pick<Registration, "name" | "source">;

/**
 * Whether an entry that allows means this tool: a pattern, its whole name, or its name without the source where that is the
 * only tool it can mean. `plugin` is whose entry it is: a bare name is its own plugin's tool first, then the tool that is
 * called just that.
 */
export function allows(entry: string, tool: NamedTool, plugin?: string): boolean {
  if (!isPart(entry, tool)) return matchesName(entry, tool.name);
  // A turn keeps a tool that is gone from the board by now: then there may be none.
  return meantBy(entry, tool, plugin).every((name) => name === tool.name);
}

/** The same for an entry that denies: where a bare name can mean several tools, it holds for all of them. */
export function denies(entry: string, tool: NamedTool, plugin?: string): boolean {
  if (matchesName(entry, tool.name)) return true;
  if (!isPart(entry, tool)) return false;
  const isOwn = plugin !== undefined && tool.source.plugin === plugin;
  return isOwn || boardOf(tool)?.find(entry) === undefined;
}

/** The names of all tools that a bare name of this one can mean; more than one when it is ambiguous. */
export function meantBy(entry: string, tool: NamedTool, plugin?: string): readonly string[] {
  const board = boardOf(tool);
  // What a run brings itself is not what somebody else's list was written for.
  if (!board || tool.source.agent !== undefined) return [entry];
  return candidates(entry, board, plugin);
}

/** The tools of a board that a bare name can mean. */
export function candidates(bare: string, board: Registry, plugin?: string): readonly string[] {
  const named = indexOf(board).get(bare) ?? [];
  const own = plugin === undefined ? [] : named.filter((name) => board.find(name)?.source.plugin === plugin);
  if (own.length > 0) return own;
  return board.find(bare) ? [bare] : named;
}

/** Whether an entry is the name of this tool without a source, so that others can be called the same. */
export function isPart(entry: string, { name }: Pick<NamedTool, "name">): boolean {
  if (!name.endsWith(entry) || entry.includes(SEPARATOR)) return false;
  return name === entry || name.endsWith(`${SEPARATOR}${entry}`);
}

interface Index {
  readonly version: number;
  readonly names: ReadonlyMap<string, readonly string[]>;
}

const indexes = new WeakMap<Registry, Index>();

/** The whole names of a board by the part after the source, as long as nothing changes there. */
function indexOf(board: Registry): Index["names"] {
  const known = indexes.get(board);
  if (known?.version === board.version) return known.names;
  const prefixed = board.names().filter((name) => name.includes(SEPARATOR));
  const names = Map.groupBy(prefixed, (name) => name.slice(name.indexOf(SEPARATOR) + SEPARATOR.length));
  indexes.set(board, { version: board.version, names });
  return names;
}
