import type { Tags } from "../session-tags.ts";
import { type HookTable, withoutPlugins } from "./table.ts";

/** What the hooks of a session depend on. */
export interface SessionHooksDeps {
  /** All that there are now. */
  hooks(): HookTable;
  readonly tags: Tags;
  /** The plugin that acts by itself in the session. */
  readonly plugin: string | undefined;
}

/**
 * The hooks that take part in one session: not those of plugins whose tag was not said, and not a plugin's own in what it does
 * by itself, which would lead it in a circle. The table is made anew only when something changed.
 */
export function createSessionHooks({ hooks, tags, plugin }: SessionHooksDeps): () => HookTable {
  let all: HookTable | undefined;
  let version: number | undefined;
  let table!: HookTable;
  return () => {
    const now = hooks();
    if (now === all && tags.version === version) return table;
    [all, version] = [now, tags.version];
    return (table = withoutPlugins(now, (name) => name === plugin || tags.isOff(name)));
  };
}
