import type { Caller } from "./caller.ts";
import type { Policy } from "./policy.ts";
import type { Registry } from "./registry.ts";
import type { Tags } from "./session-tags.ts";
import { VisibleTools } from "./visible-tools.ts";

/** What the lists of all sessions depend on. */
export interface SharedListsDeps {
  readonly registry: Registry;
  readonly policy: Policy;
  /** The plugins that wait for their tag. */
  tagged(): ReadonlySet<string>;
}

/** More kinds of callers than these are not remembered at once. */
const MOST = 64;

/**
 * The tools of the runtime that a caller sees who is no agent and has said no tag. Callers whom nothing tells apart share
 * them: thousands of clients of one program would each hold the same list.
 */
export function sharedList(caller: Caller, deps: SharedListsDeps): VisibleTools {
  const lists = known.get(deps) ?? new Map<string, VisibleTools>();
  known.set(deps, lists);
  const { kind, principal, client, cwd, interactive } = caller;
  const key = JSON.stringify([kind, principal, client, cwd, interactive]);
  let list = lists.get(key);
  if (!list) {
    list = new VisibleTools([deps.registry], deps.policy, { ...caller, tags: toUnsaid(deps) });
    if (lists.size >= MOST) lists.delete(lists.keys().next().value!);
    lists.set(key, list);
  }
  return list;
}

const known = new WeakMap<SharedListsDeps, Map<string, VisibleTools>>();

/** The tags of whoever has said none. */
function toUnsaid(deps: SharedListsDeps): Tags {
  return { version: 0, isOff: (plugin) => deps.tagged().has(plugin) };
}
