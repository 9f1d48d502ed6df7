import { PegboardError } from "./error.ts";
import { nearest } from "./nearest.ts";

/** Something on a shelf, and where it comes from. */
export interface Shelved<T> {
  /** What it is called everywhere: `plugin:name` or `server:name`, or the bare name of what neither brought. */
  readonly id: string;
  readonly item: T;
  readonly plugin?: string;
  readonly file?: string;
  /** What stands before its name where that is not the plugin: the MCP server that offers it. */
  readonly prefix?: string;
}

/** Whose it is that is put on a shelf. */
export type ShelfSource = Pick<Shelved<unknown>, "plugin" | "file" | "prefix">;

/** Named things that are looked up and never run by themselves: skills, and commands of people. */
export class Shelf<T extends { readonly name: string }> {
  readonly #what: string;
  readonly #entries = new Map<string, Shelved<T>>();
  readonly #listeners = new Set<() => void>();

  /** `what` says in messages what is on it, such as `skill`. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Puts something on the shelf until it is disposed. Throws `duplicate` when its name is taken. */
  register(item: T, source: ShelfSource = {}): Disposable {
    const { prefix = source.plugin } = source;
    const id = prefix === undefined ? item.name : `${prefix}:${item.name}`;
    const present = this.#entries.get(id);
    if (present) throw new PegboardError("duplicate", this.#twice(id, present, source));
    const entry: Shelved<T> = Object.freeze({ id, item, ...source });
    this.#entries.set(id, entry);
    this.#tell();
    return {
      [Symbol.dispose]: () => {
        if (this.#entries.get(id) !== entry) return;
        this.#entries.delete(id);
        this.#tell();
      },
    };
  }

  /** Everything on it, sorted by id. */
  list(): readonly Shelved<T>[] {
    return [...this.#entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /**
   * Finds something by its id, or by its bare name where only one has it. Throws `not_found`, and `invalid_input` with the
   * candidates when it could be several.
   */
  find(name: string): Shelved<T> {
    const exact = this.#entries.get(name);
    if (exact) return exact;
    const same = this.list().filter(({ item }) => item.name === name);
    if (same.length === 1) return same[0]!;
    if (same.length > 1) {
      const candidates = same.map(({ id }) => id).join(", ");
      throw new PegboardError(
        "invalid_input",
        `There are several ${this.#what}s "${name}": say which of ${candidates}`,
      );
    }
    const near = nearest(name, this.#entries.keys());
    const hint = near === undefined ? "" : `, did you mean "${near}"?`;
    throw new PegboardError("not_found", `There is no ${this.#what} "${name.slice(0, 80)}"${hint}`);
  }

  /** Calls back whenever something comes or goes. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => this.#listeners.delete(listener) };
  }

  #twice(id: string, present: ShelfSource, other: ShelfSource): string {
    const places = [present, other].map(({ plugin, file }) => file ?? (plugin ? `plugin "${plugin}"` : "the host"));
    return `There are two ${this.#what}s "${id}": of ${places.join(" and ")}`;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
