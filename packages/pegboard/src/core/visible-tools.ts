import type { Caller } from "./caller.ts";
import type { Policy } from "./policy.ts";
import type { Registration, Registry } from "./registry.ts";
import { scopeProblem } from "./scope.ts";
import { type ToolView, toToolView } from "./tool-view.ts";

/** The tools that one caller sees at one moment. */
export interface ToolSnapshot {
  /** Sorted by name. */
  readonly tools: readonly ToolView[];
  /** What a name meant at that moment: a tool of the list, or a hidden one, whose call is refused with the reason. */
  find(name: string): Registration | undefined;
}

/** The tools that one caller sees, over several boards of which an earlier one hides the same names of a later one. */
export class VisibleTools {
  readonly #boards: readonly Registry[];
  readonly #policy: Policy;
  readonly #caller: Caller;
  #seen = -1;
  #snapshot: ToolSnapshot | undefined;

  constructor(boards: readonly Registry[], policy: Policy, caller: Caller) {
    this.#boards = boards;
    this.#policy = policy;
    this.#caller = caller;
  }

  /** What the caller sees now: the same object as long as nothing changes. */
  get snapshot(): ToolSnapshot {
    // Each of them grows with every change, and so does their sum.
    let now = this.#policy.version + (this.#caller.tags?.version ?? 0);
    for (const board of this.#boards) now += board.version;
    if (!this.#snapshot || this.#seen !== now) {
      this.#snapshot = this.#look();
      this.#seen = now;
    }
    return this.#snapshot;
  }

  #look(): ToolSnapshot {
    const boards = this.#boards.map((board) => board.snapshot()).filter(({ size }) => size > 0);
    const find = toFinder(boards);
    const policy = this.#policy;
    const caller = this.#caller;
    const tools: ToolView[] = [];
    for (const registration of boards.flatMap((board) => [...board.values()])) {
      if (find(registration.name) !== registration) continue;
      if (scopeProblem(registration, caller) || policy.blocksWholly(registration, caller)) continue;
      tools.push(toToolView(registration, policy.outlook(registration, caller), this.#boards.at(-1)!));
    }
    // Sorted as a copy: a list that grew has room that nothing comes into.
    return { tools: Object.freeze(tools.toSorted((a, b) => (a.name < b.name ? -1 : 1))), find };
  }
}

/** What names mean on several boards, of which the first one counts. Mostly there is one. */
function toFinder(boards: readonly ReadonlyMap<string, Registration>[]): ToolSnapshot["find"] {
  const [only, ...more] = boards;
  if (more.length === 0) return (name) => only?.get(name);
  return (name) => {
    for (const board of boards) {
      const registration = board.get(name);
      if (registration) return registration;
    }
    return undefined;
  };
}
