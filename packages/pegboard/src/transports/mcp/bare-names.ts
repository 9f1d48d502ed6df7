const SEPARATOR = "__";

/**
 * The names without the plugin or server that stands before them, each by the whole one. Where two would be called the same,
 * both keep what stands before them.
 */
export function toBareNames(names: readonly string[]): ReadonlyMap<string, string> {
  const bare = names.map((name) => name.slice(name.indexOf(SEPARATOR) + SEPARATOR.length));
  const count = new Map<string, number>();
  const all = names.map((name, index) => (name.includes(SEPARATOR) ? bare[index]! : name));
  for (const name of all) count.set(name, (count.get(name) ?? 0) + 1);
  return new Map(names.map((name, index) => [name, count.get(all[index]!) === 1 ? all[index]! : name]));
}
