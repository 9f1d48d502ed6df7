import type { CallerKind } from "@pegboard/contract";
import type { Caller } from "./caller.ts";
import { type Registration, Registry } from "./registry.ts";
import { sharedList, type SharedListsDeps } from "./shared-lists.ts";
import type { ToolView } from "./tool-view.ts";
import { VisibleTools } from "./visible-tools.ts";

/** The tools of one session: its own hide those of the same name on the runtime's board. */
export class SessionBoard {
  /** Tools of the session alone. */
  readonly own: Registry;
  readonly #caller: Caller;
  readonly #deps: SharedListsDeps;
  #lists: Map<CallerKind, VisibleTools> | undefined;
  /** Whether nothing tells it apart from other sessions. */
  #isPlain = true;

  /** `caller` is who calls in the session. */
  constructor(session: string, caller: Caller, deps: SharedListsDeps) {
    this.own = new Registry({ layer: "session", source: { kind: "host", id: session } });
    this.#caller = caller;
    this.#deps = deps;
  }

  /** What a name stands for, whoever asks. */
  find(name: string): Registration | undefined {
    return this.own.find(name) ?? this.#deps.registry.find(name);
  }

  /** What the session's caller sees as one of this kind, sorted by name; made anew only when something changed. */
  list(kind: CallerKind): readonly ToolView[] {
    const { agent, tags } = this.#caller;
    const isPlain = this.own.count === 0 && !agent && !tags?.version;
    if (isPlain !== this.#isPlain) this.#lists = undefined;
    this.#isPlain = isPlain;
    let list = this.#lists?.get(kind);
    if (!list) {
      const caller = { ...this.#caller, kind };
      list = isPlain ? sharedList(caller, this.#deps) : this.visibleTo(caller);
      (this.#lists ??= new Map()).set(kind, list);
    }
    return list.snapshot.tools;
  }

  /** The tools that a caller sees, those of its own boards before those of the session. */
  visibleTo(caller: Caller, boards: readonly Registry[] = []): VisibleTools {
    const { registry, policy } = this.#deps;
    return new VisibleTools(boards.concat(this.own, registry), policy, caller);
  }
}
