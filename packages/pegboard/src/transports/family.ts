import type { Event } from "../core/event.ts";

/**
 * Tells which events belong to a call or a run: its own, and those of everything that it started. The events must be
 * shown in order.
 */
export function createFamily(root: string): (event: Event) => boolean {
  const members = new Set([root]);
  const has = (id: string | undefined) => id !== undefined && members.has(id);
  return ({ type, call, run, parent }) => {
    if (!has(call) && !has(run) && !has(parent)) return false;
    if (type === "call-start") members.add(call!);
    if (type === "run-start") members.add(run!);
    return true;
  };
}
