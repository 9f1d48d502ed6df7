import type { CallerKind } from "@pegboard/contract";
import type { Caller } from "./caller.ts";
import type { Policy } from "./policy.ts";
import { type Registration, Registry } from "./registry.ts";
import type { ToolView } from "./tool-view.ts";
import { VisibleTools } from "./visible-tools.ts";

/** What a session's board hangs before. */
export interface SessionBoardDeps {
  readonly registry: Registry;
  readonly policy: Policy;
}

/** The tools of one session: its own hide those of the same name on the runtime's board. */
export class SessionBoard {
  /** Tools of the session alone. */
  readonly own: Registry;
  readonly #caller: Caller;
  readonly #deps: SessionBoardDeps;
  #lists: Map<CallerKind, VisibleTools> | undefined;

  /** `caller` is who calls in the session. */
  constructor(session: string, caller: Caller, deps: SessionBoardDeps) {
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
    let list = this.#lists?.get(kind);
    if (!list) (this.#lists ??= new Map()).set(kind, (list = this.visibleTo({ ...this.#caller, kind })));
    return list.snapshot.tools;
  }

  /** The tools that a caller sees, those of its own boards before those of the session. */
  visibleTo(caller: Caller, boards: readonly Registry[] = []): VisibleTools {
    const { registry, policy } = this.#deps;
    return new VisibleTools(boards.concat(this.own, registry), policy, caller);
  }
}
