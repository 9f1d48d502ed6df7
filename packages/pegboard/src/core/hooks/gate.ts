import type { CallView, Json, TurnView } from "@pegboard/contract";
import { messageOf, PegboardError } from "../error.ts";
import { cloneJson, copyJson } from "../json.ts";
import type { Vote } from "../policy.ts";
import { describeHook, type HookWatch, runHook } from "./run-hook.ts";
import type { BoundHook, HookPoint } from "./table.ts";

/** What the gates of a call decided together. */
export interface Gated {
  readonly votes: readonly Vote[];
  /** What the model is to read with the result. */
  readonly notes: readonly string[];
  /** What took the place of the input that was asked for. */
  readonly input?: Json;
}

/** What no gate has a say in. */
export const UNGATED: Gated = { votes: [], notes: [] };

/**
 * Asks every gate of a call in order; each sees the input that the one before left. Throws `denied` when one denies, throws,
 * hangs, or gives an answer that is none.
 */
export async function runCallGates(
  hooks: readonly BoundHook<"beforeCall">[],
  call: CallView,
  watch: HookWatch,
): Promise<Gated> {
  const votes: Vote[] = [];
  const notes: string[] = [];
  let input: Json | undefined;
  const what = `call of tool "${call.tool}"`;
  for (const hook of hooks) {
    const view = { ...call, input: cloneJson(input ?? call.input) };
    const answer = await askGate(hook, watch, (run) => run(view), toCallAnswer, what);
    if (answer.action === "modify") input = answer.input;
    if (answer.action === "inject") notes.push(answer.text);
    if (answer.action === "ask") votes.push({ by: "hook", approval: "ask", reason: answer.reason });
  }
  return { votes, notes, ...(input !== undefined && { input }) };
}

/** Asks every gate of a turn in order. Resolves to what the model is to read too. Throws `denied` like the gates of a call. */
export async function runTurnGates(
  hooks: readonly BoundHook<"beforeTurn">[],
  turn: TurnView,
  watch: HookWatch,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const hook of hooks) {
    const answer = await askGate(hook, watch, (run) => run({ ...turn }), toTurnAnswer, `turn of agent "${turn.agent}"`);
    if (answer.action === "inject") notes.push(answer.text);
  }
  return notes;
}

type Passing =
  | { readonly action: "continue" }
  | { readonly action: "ask"; readonly reason: string }
  | { readonly action: "inject"; readonly text: string }
  | { readonly action: "modify"; readonly input: Json };

async function askGate<Point extends HookPoint>(
  hook: BoundHook<Point>,
  watch: HookWatch,
  ask: (run: BoundHook<Point>["run"]) => unknown,
  read: (answer: Answer) => Passing | undefined,
  what: string,
): Promise<Passing> {
  const outcome = await runHook(hook, watch, async (run) => {
    const answer = Object((await ask(run)) ?? CONTINUE) as Answer;
    if (answer.action === "deny") return answer;
    const passing = answer.action === "continue" ? CONTINUE : read(answer);
    if (passing) return passing;
    throw new PegboardError("invalid_output", "it gave an answer that is none");
  });
  const denied = (why: string) =>
    new PegboardError("denied", `The ${what} was denied by ${describeHook(hook)}: ${why}`);
  if ("thrown" in outcome) throw denied(`it failed (${messageOf(outcome.thrown)})`);
  if (outcome.value.action === "deny") throw denied(String((outcome.value as Answer).reason ?? "it gives no reason"));
  return outcome.value as Passing;
}

/** What a gate may have answered: plugins are not bound to types. */
interface Answer {
  readonly action?: unknown;
  readonly reason?: unknown;
  readonly text?: unknown;
  readonly input?: unknown;
}

const CONTINUE: Passing = { action: "continue" };

/** So much of a text that a gate adds is read. */
const MOST_CHARACTERS = 4_096;

function toTurnAnswer({ action, text }: Answer): Passing | undefined {
  if (action !== "inject" || typeof text !== "string") return undefined;
  return { action: "inject", text: text.slice(0, MOST_CHARACTERS) };
}

function toCallAnswer(answer: Answer): Passing | undefined {
  const { action, reason, input } = answer;
  if (action === "ask") return { action, reason: reason === undefined ? "a hook wants it asked" : String(reason) };
  if (action === "modify" && input !== undefined) return { action, input: copyJson(input) };
  return toTurnAnswer(answer);
}
