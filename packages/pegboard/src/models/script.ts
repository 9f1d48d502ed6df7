import type { ErrorCode, Json } from "@pegboard/contract";
import type { EndReason, Message, ModelRequest, Usage } from "../core/model.ts";

/** What a scripted model says: turns for every conversation, or scripts of which the first that fits is played. */
export type Script =
  | readonly Turn[]
  | { readonly turns: readonly Turn[] }
  | { readonly scripts: readonly { readonly when?: When; readonly turns: readonly Turn[] }[] };

/** Which conversations a script is for: those whose system prompt and first message hold these texts. */
export interface When {
  readonly system?: string;
  readonly prompt?: string;
}

/** One answer: a text, a turn, or a function that makes one from the request. */
export type Turn = string | ScriptedTurn | ((request: ModelRequest) => string | ScriptedTurn);

/** One answer in full. `error` and `cut` fail once: whoever asks again gets the turn after them. */
export interface ScriptedTurn {
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: readonly ScriptedCall[];
  readonly error?: ScriptedError;
  /** The stream ends, after what the turn says, without its end. */
  readonly cut?: boolean;
  /** Milliseconds before anything is said, or a text such as "2s". */
  readonly delay?: number | string;
  /** Nothing by default: a script uses no tokens. */
  readonly usage?: Usage;
  /** By default `calls` when there are calls, else `stop`. */
  readonly reason?: EndReason;
  /** What the last message must hold: the words of the user, or the results of tools. The turn fails when it does not. */
  readonly expect?: string;
}

/** A call that the model asks for. */
export interface ScriptedCall {
  readonly tool: string;
  readonly input?: Json;
  /** The arguments as text, in place of `input`, for those that are not JSON. */
  readonly raw?: string;
  readonly id?: string;
}

/** How a turn fails: by the status that a provider would answer with, or by a code. */
export interface ScriptedError {
  readonly status?: number;
  readonly code?: ErrorCode;
  readonly message?: string;
  /** Milliseconds, or a text such as "2s". */
  readonly retryAfter?: number | string;
}

/** The turns for a conversation, or undefined when no script fits it. */
export function turnsFor(script: Script, request: ModelRequest): readonly Turn[] | undefined {
  if ("scripts" in script) return script.scripts.find(({ when }) => fits(when, request))?.turns;
  return "turns" in script ? script.turns : script;
}

/** The turn that comes after so many answers and so many failures since the last of them, with its place in the list. */
export function turnAt(
  turns: readonly Turn[],
  answers: number,
  failures: number,
): { readonly turn: Turn; readonly place: number } | undefined {
  let answered = 0;
  let failed = 0;
  for (const [index, turn] of turns.entries()) {
    if (isFailure(turn)) {
      if (answered === answers && failed++ === failures) return { turn, place: index + 1 };
    } else if (answered++ === answers) return { turn, place: index + 1 };
  }
  return undefined;
}

/** Whether a turn gives no answer, so that the same question comes again. */
export function isFailure(turn: Turn): turn is ScriptedTurn {
  return typeof turn === "object" && (turn.error !== undefined || turn.cut === true);
}

/** Everything that a message says, as text. */
export function textOf(message: Message | undefined): string {
  if (!message) return "";
  const parts = message.role === "tool" ? message.results.flatMap(({ content }) => content) : message.content;
  return parts.map((part) => ("text" in part ? part.text : JSON.stringify(part))).join("\n");
}

function fits(when: When = {}, { system, messages }: ModelRequest): boolean {
  const { system: inSystem = "", prompt: inPrompt = "" } = when;
  return system.includes(inSystem) && (inPrompt === "" || textOf(messages[0]).includes(inPrompt));
}
