/**
 * A value with every text in it replaced by what `map` makes of it, and every key by what `mapKey` does. Parts that stay
 * the same are shared with the original, which is returned itself when nothing changes. Only arrays and plain objects are
 * looked into.
 */
export function mapTexts<T>(value: T, map: (text: string) => string, mapKey: (key: string) => string = map): T {
  if (typeof value === "string") return map(value) as T;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapItems(value, map, mapKey) as T;
  return isPlain(value) ? (mapMembers(value as Record<string, unknown>, map, mapKey) as T) : value;
}

/** Whether a test holds for any text or key of a JSON value. For what is looked at often and changed rarely. */
export function someText(value: unknown, test: (text: string) => boolean): boolean {
  if (typeof value === "string") return test(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) {
    for (const item of value) if (someText(item, test)) return true;
    return false;
  }
  // Far cheaper than a list of keys; what it finds too much does no harm.
  for (const key in value) if (test(key) || someText((value as Record<string, unknown>)[key], test)) return true;
  return false;
}

function mapItems(
  items: readonly unknown[],
  map: (text: string) => string,
  mapKey: (key: string) => string,
): readonly unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const mapped = mapTexts(items[index], map, mapKey);
    if (copy === undefined && mapped !== items[index]) copy = items.slice(0, index);
    copy?.push(mapped);
  }
  return copy ?? items;
}

function mapMembers(
  object: Record<string, unknown>,
  map: (text: string) => string,
  mapKey: (key: string) => string,
): object {
  const keys = Object.keys(object);
  let copy: [string, unknown][] | undefined;
  for (let index = 0; index < keys.length; index++) {
    const key = keys[index]!;
    const mappedKey = mapKey(key);
    const mapped = mapTexts(object[key], map, mapKey);
    if (copy === undefined && (mapped !== object[key] || mappedKey !== key))
      copy = keys.slice(0, index).map((before) => [before, object[before]]);
    copy?.push([mappedKey, mapped]);
  }
  return copy === undefined ? object : Object.fromEntries(copy);
}

function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value) as unknown;
  // Objects of another realm have another Object.prototype, whose own prototype is null.
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}
