import type { Json } from "@pegboard/contract";
import type { EventSink, SessionLog } from "./log.ts";

/** Which of the plugins that wait for their tag are there for a caller. */
export interface Tags {
  /** Grows with every change. */
  readonly version: number;
  /** Whether a plugin waits for its tag, and its tag was not said, or was taken back. */
  isOff(plugin: string): boolean;
}

/** What the tags of all sessions are kept with. */
export interface SessionTagsDeps {
  readonly events: EventSink;
  /** The plugins that wait for their tag. */
  tagged(): ReadonlySet<string>;
}

interface Change {
  readonly on: readonly string[];
  readonly off: readonly string[];
}

/** The tags of one session: `+name` in a prompt brings a plugin that waits for it, `-name` sends it away. Kept in the log. */
export class SessionTags implements Tags {
  readonly #log: SessionLog;
  readonly #deps: SessionTagsDeps;
  #on: Set<string> | undefined;
  /** What was said before it was known what an earlier process had heard. */
  #heard: Change[] | undefined;
  #restoring: Promise<void> | undefined;
  #version = 0;

  /** `resumed` says that an earlier process may have left tags in the log. */
  constructor(log: SessionLog, deps: SessionTagsDeps, resumed: boolean) {
    this.#log = log;
    this.#deps = deps;
    if (resumed) this.#heard = [];
  }

  get version(): number {
    return this.#version;
  }

  isOff(plugin: string): boolean {
    return this.#deps.tagged().has(plugin) && !this.#on?.has(plugin);
  }

  /** Resolves when it is known what an earlier process heard; undefined when it is. */
  ready(): Promise<void> | undefined {
    if (!this.#heard || this.#deps.tagged().size === 0) return undefined;
    return (this.#restoring ??= this.#restore().finally(() => (this.#restoring = undefined)));
  }

  /** Takes the tags of a prompt. */
  hear(prompt: Json): void {
    const change = typeof prompt === "string" ? readTags(prompt, this.#deps.tagged()) : undefined;
    if (!change) return;
    this.#heard?.push(change);
    this.#apply(change);
    void this.#log.append("tags-change", change).catch(() => {});
  }

  async #restore(): Promise<void> {
    const before = await this.#deps.events.read({ session: this.#log.session, type: "tags-change" });
    const heard = this.#heard ?? [];
    this.#heard = undefined;
    this.#on = undefined;
    for (const { data } of before) this.#apply(data as Change);
    for (const change of heard) this.#apply(change);
  }

  #apply({ on, off }: Change): void {
    for (const tag of on) (this.#on ??= new Set()).add(tag);
    for (const tag of off) this.#on?.delete(tag);
    this.#version++;
  }
}

const CODE = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g;
const TAG = /(?<!\S)([+-])([A-Za-z][A-Za-z0-9_-]*)(?=[\s.,;:!?)]|$)/g;

/** The tags among the words of a text, outside of code; of one that is said twice the last counts. Undefined: there are none. */
function readTags(text: string, known: ReadonlySet<string>): Change | undefined {
  if (known.size === 0) return undefined;
  const said = new Map<string, string>();
  for (const [, sign, name] of text.replaceAll(CODE, " ` ").matchAll(TAG)) if (known.has(name!)) said.set(name!, sign!);
  if (said.size === 0) return undefined;
  const withSign = (sign: string) => [...said].filter(([, one]) => one === sign).map(([name]) => name);
  return { on: withSign("+"), off: withSign("-") };
}
