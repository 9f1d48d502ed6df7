import type { Session } from "../../core/session.ts";
import type { Runtime } from "../../runtime.ts";

/** Of what there is a list that changes. */
export type Listed = "tools" | "prompts" | "resources";

/** Whoever is told of changed lists. */
export interface ListReader {
  /** A list has changed. Must not throw. */
  listChanged(what: Listed): void;
}

/** What comes at once is told once. */
const SETTLE_MS = 10;

/** Tells the clients of a door, a moment later, that what they can call, or call up, has changed. */
export class ListChanges implements Disposable {
  /** With what is watched for one of them alone. */
  readonly #readers = new Map<ListReader, Disposable | undefined>();
  readonly #due = new Map<Listed, Set<ListReader>>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  readonly #watched: readonly Disposable[];

  constructor({ tools, agents, commands, prompts, resources, skills }: Runtime) {
    const all = (what: Listed) => () => this.#changed(what, this.#readers.keys());
    this.#watched = [
      tools.onChange(all("tools")),
      agents.onChange(all("tools")),
      commands.onChange(all("prompts")),
      prompts.onChange(all("prompts")),
      resources.onChange(all("resources")),
      skills.onChange(all("resources")),
    ];
  }

  /** Tells a reader from now on; with a session also of the tools of that one alone. */
  add(reader: ListReader, session?: Session): void {
    this.#readers.set(
      reader,
      session?.tools.onChange(() => this.#changed("tools", [reader])),
    );
  }

  delete(reader: ListReader): void {
    this.#readers.get(reader)?.[Symbol.dispose]();
    this.#readers.delete(reader);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const one of this.#watched) one[Symbol.dispose]();
    for (const reader of this.#readers.keys()) this.delete(reader);
  }

  #changed(what: Listed, readers: Iterable<ListReader>): void {
    let due = this.#due.get(what);
    if (!due) {
      this.#due.set(what, (due = new Set()));
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        this.#tell(what);
      }, SETTLE_MS);
      this.#timers.add(timer);
    }
    for (const reader of readers) due.add(reader);
  }

  #tell(what: Listed): void {
    const due = this.#due.get(what)!;
    this.#due.delete(what);
    for (const reader of due) if (this.#readers.has(reader)) reader.listChanged(what);
  }
}
