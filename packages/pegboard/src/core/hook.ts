import type { CallView, GateAnswer, Hooks, Json, Result } from "@pegboard/contract";
import { messageOf, PegboardError } from "./error.ts";
import { cloneJson } from "./json.ts";
import type { Vote } from "./policy.ts";
import { toResult } from "./result.ts";

/** How long a hook may take. */
export const HOOK_MS = 10_000;

/** What the gates decided together: votes for policy, and the input that took the place of the one asked for. */
export interface Gated {
  readonly votes: readonly Vote[];
  readonly input?: Json;
}

const PASSED: Gated = { votes: [] };

/** Asks every gate in order; each sees the input that the one before left. Throws `denied` when one denies, throws or hangs. */
export async function runGates(hooks: readonly Hooks[], call: CallView): Promise<Gated> {
  let gated = PASSED;
  for (const hook of hooks) {
    if (!hook.beforeCall) continue;
    const answer = await askGate(hook, { ...call, input: cloneJson(gated.input ?? call.input) });
    if (answer.action === "deny")
      throw new PegboardError("denied", `A hook denied the call of tool "${call.tool}": ${answer.reason}`);
    if (answer.action === "modify") gated = { ...gated, input: answer.input };
    if (answer.action === "ask")
      gated = {
        ...gated,
        votes: [...gated.votes, { by: "hook", approval: "ask", reason: answer.reason ?? "a hook wants it asked" }],
      };
  }
  return gated;
}

/** Lets every chain hook replace the result. One that throws or hangs changes nothing. */
export async function runChain(hooks: readonly Hooks[], call: CallView, result: Result): Promise<Result> {
  let current = result;
  for (const hook of hooks) {
    if (!hook.afterCall) continue;
    try {
      const replaced = await within(HOOK_MS, () =>
        hook.afterCall!({ ...call, input: cloneJson(call.input) }, structuredClone(current)),
      );
      if (replaced) current = toResult(replaced);
    } catch {
      // Watching and rewording must not break a call that has succeeded.
    }
  }
  return current;
}

const ACTIONS = ["continue", "deny", "ask", "modify"];

async function askGate(hook: Hooks, call: CallView): Promise<GateAnswer> {
  let answer: GateAnswer | void;
  try {
    answer = await within(HOOK_MS, () => hook.beforeCall!(call));
  } catch (error) {
    return { action: "deny", reason: `the hook failed (${messageOf(error)})` };
  }
  if (answer === undefined || answer === null) return { action: "continue" };
  return ACTIONS.includes(answer.action) ? answer : { action: "deny", reason: "the hook gave an answer that is none" };
}

/** Waits so long for a hook. Rejects with `timeout` after that, and with what the hook throws. */
export async function within<T>(ms: number, run: () => T | Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new PegboardError("timeout", `no answer within ${ms / 1000} seconds`)), ms);
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}
