import type { Tags } from "../session-tags.ts";
import { type HookTable, withoutPlugins } from "./table.ts";

/**
 * The hooks that take part in one session: not those of plugins whose tag was not said, and not a plugin's own in what it does
 * by itself, which would lead it in a circle.
 */
export class SessionHooks {
  readonly #deps: { hooks(): HookTable };
  readonly #tags: Tags;
  readonly #plugin: string | undefined;
  #all: HookTable | undefined;
  #version: number | undefined;
  #table!: HookTable;

  /** `hooks` are all that there are now, `plugin` the one that acts by itself in the session. */
  constructor(deps: { hooks(): HookTable }, tags: Tags, plugin: string | undefined) {
    this.#deps = deps;
    this.#tags = tags;
    this.#plugin = plugin;
  }

  /** Made anew only when something changed. */
  get table(): HookTable {
    const now = this.#deps.hooks();
    if (now === this.#all && this.#tags.version === this.#version) return this.#table;
    this.#all = now;
    this.#version = this.#tags.version;
    return (this.#table = withoutPlugins(now, (name) => name === this.#plugin || this.#tags.isOff(name)));
  }
}
