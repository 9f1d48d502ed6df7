import { parseDuration } from "../core/duration.ts";
import { PegboardError } from "../core/error.ts";
import type { Model, ModelPart, ModelRequest } from "../core/model.ts";
import { parseArguments } from "./arguments.ts";
import {
  isFailure,
  type Script,
  type ScriptedCall,
  type ScriptedError,
  type ScriptedTurn,
  textOf,
  type Turn,
  turnAt,
  turnsFor,
} from "./script.ts";
import { statusError } from "./status-error.ts";

/** A model that plays a script, and keeps what it was asked. */
export interface ScriptedModel extends Model {
  /** Every request, in the order they came. */
  readonly requests: readonly ModelRequest[];
}

/**
 * A model that says what a script says, for tests, demos and trying an agent without a key. Which turn is due is told by
 * the request alone, from the answers in it: conversations do not disturb each other and can be taken up anew. Fails with
 * `invalid_config` when the script has no turn for a request.
 */
export function scriptedModel(script: Script, { id = "scripted:model" }: { readonly id?: string } = {}): ScriptedModel {
  const requests: ModelRequest[] = [];
  // How often the question that ends with this message failed.
  const failures = new WeakMap<object, number>();
  return {
    id,
    structured: true,
    requests,
    async *stream(request, signal) {
      requests.push(request);
      const turns = turnsFor(script, request);
      if (!turns) throw noScript(id, request);
      const answers = request.messages.filter(({ role }) => role === "assistant").length;
      const question = request.messages.at(-1) ?? request;
      const failed = failures.get(question) ?? 0;
      const due = turnAt(turns, answers, failed);
      if (!due) throw noTurn(id, turns, answers, request);
      if (isFailure(due.turn)) failures.set(question, failed + 1);
      yield* play(toTurn(due.turn, request), { id, place: due.place, request, signal });
    },
  };
}

interface Stage {
  readonly id: string;
  readonly place: number;
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
}

async function* play(turn: ScriptedTurn, stage: Stage): AsyncGenerator<ModelPart> {
  const { text = "", reasoning = "", calls = [], error, cut, usage = { input: 0, output: 0 } } = turn;
  const delay = toMs(turn.delay);
  if (delay > 0) await pause(delay, stage.signal);
  check(turn, stage);
  if (error) throw toError(error, stage);
  if (reasoning !== "") yield { type: "reasoning", text: reasoning };
  if (text !== "") yield { type: "text", text };
  for (const [index, call] of calls.entries()) yield toCall(call, `call_${stage.place}_${index + 1}`);
  if (!cut) yield { type: "end", reason: turn.reason ?? (calls.length > 0 ? "calls" : "stop"), usage };
}

function toTurn(turn: Turn, request: ModelRequest): ScriptedTurn {
  const made = typeof turn === "function" ? turn(request) : turn;
  return typeof made === "string" ? { text: made } : made;
}

function toCall({ tool, input = {}, raw, id }: ScriptedCall, otherwise: string): ModelPart {
  return { type: "call", id: id ?? otherwise, tool, ...(raw === undefined ? { input } : parseArguments(raw)) };
}

function toError({ status, code, message, retryAfter }: ScriptedError, { id }: Stage): PegboardError {
  const retryAfterMs = retryAfter === undefined ? undefined : toMs(retryAfter);
  if (code === undefined)
    return statusError({
      model: id,
      status: status ?? 500,
      retryAfterMs,
      ...(message !== undefined && { said: message }),
    });
  return new PegboardError(code, message ?? `${id} fails here, as its script says`, {
    retryable: code === "unavailable" || code === "rate_limited",
    ...(retryAfterMs !== undefined && { details: { retryAfterMs } }),
  });
}

function check({ expect }: ScriptedTurn, { id, place, request }: Stage): void {
  const said = textOf(request.messages.at(-1));
  if (expect === undefined || said.includes(expect)) return;
  throw new PegboardError(
    "invalid_config",
    `Turn ${place} of ${id} expects "${expect}" in the last message, which says: ${excerpt(said)}`,
  );
}

function noTurn(id: string, turns: readonly Turn[], answers: number, { messages }: ModelRequest): PegboardError {
  const last = messages.at(-1);
  return new PegboardError(
    "invalid_config",
    `${id} has ${turns.length} turns and is asked for another after ${answers} answers; the last message (${last?.role ?? "none"}) says: ${excerpt(textOf(last))}`,
  );
}

function noScript(id: string, { system, messages }: ModelRequest): PegboardError {
  return new PegboardError(
    "invalid_config",
    `No script of ${id} is for this conversation: its system prompt is ${excerpt(system)}, its first message ${excerpt(textOf(messages[0]))}`,
  );
}

function excerpt(text: string): string {
  const most = 200;
  return JSON.stringify(text.length <= most ? text : `${text.slice(0, most)}…`);
}

function toMs(duration: number | string = 0): number {
  return typeof duration === "number" ? duration : (parseDuration(duration) ?? 0);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(
        signal.reason instanceof PegboardError
          ? signal.reason
          : new PegboardError("cancelled", "The request was cancelled", { cause: signal.reason }),
      );
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}
