import type { Plugin } from "@pegboard/contract";

const LISTS = ["tools", "agents", "skills", "commands", "prompts", "resources"];
const STEPS = ["register", "start", "onStartFailed", "stop"];
const OTHERS = ["name", "version", "description", "mcpServers", "settingsSchema", "activation"];

/**
 * A plugin as it is now, whatever becomes of the author's object: each field is read once, lists are copied, functions
 * belong to the object as before. What is no plugin comes out as such. Throws what reading a field throws.
 */
export function snapshot(plugin: unknown): Plugin {
  if (typeof plugin !== "object" || plugin === null) return plugin as Plugin;
  const given = plugin as Readonly<Record<string, unknown>>;
  const copy: Record<string, unknown> = {};
  for (const field of [...OTHERS, ...LISTS, ...STEPS]) {
    const value = given[field];
    if (value !== undefined) copy[field] = toOwn(value, given);
  }
  return Object.freeze(copy) as unknown as Plugin;
}

function toOwn(value: unknown, owner: object): unknown {
  if (Array.isArray(value)) return Object.freeze([...(value as readonly unknown[])]);
  return typeof value === "function" ? (value.bind(owner) as unknown) : value;
}
