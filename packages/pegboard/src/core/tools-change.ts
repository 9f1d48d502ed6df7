import type { EventData } from "./event.ts";
import type { RegistryChange } from "./registry.ts";

/** What the log tells of a change of the board: a tool that left and came back in one step has changed. */
export function toToolsChange({ added, removed }: RegistryChange): EventData["tools-change"] {
  const before = new Map(removed.map(({ name, tool }) => [name, tool.version]));
  const changed = added.filter(({ name }) => before.has(name));
  return {
    added: added.filter(({ name }) => !before.has(name)).map(({ name }) => name),
    removed: removed.filter(({ name }) => !changed.some((other) => other.name === name)).map(({ name }) => name),
    changed: changed.map(({ name, tool }) => {
      const was = before.get(name);
      return {
        name,
        ...(tool.version !== undefined && { version: tool.version }),
        ...(was !== undefined && { was }),
      };
    }),
  };
}
