import type { Content } from "@pegboard/contract";
import type { Event, EventData, EventOf } from "../core/event.ts";
import type { AssistantPart, Message, ModelCall, ToolOutcome, UserPart } from "../core/model.ts";
import { shortenResults } from "./shorten-results.ts";

/** How a conversation changes besides answers and the outcomes of calls. */
export type TranscriptChange = EventData["transcript-change"];

/** The id of the call that an answer asks for: the same whenever the same run is told again. */
export function callId(run: string, turn: number, index: number): string {
  return `${run}.${turn}.${index}`;
}

/** The calls that an assistant message asks for. */
export function callsOf(content: readonly AssistantPart[]): readonly ModelCall[] {
  return content.filter((part) => part.type === "call");
}

/** The words of a message. */
export function textOf(content: readonly (AssistantPart | UserPart)[]): string {
  return content.reduce((joined, part) => (part.type === "text" ? joined + part.text : joined), "");
}

/** A message of a person, or in a person's place. */
export function userMessage(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/** What became of a call, as the model reads it. */
export function toOutcome({ id, tool, problem }: ModelCall, ok: boolean, content: readonly Content[]): ToolOutcome {
  const said = problem === undefined || ok ? content : [{ type: "text" as const, text: problem }, ...content];
  return { call: id, tool, ok, content: said };
}

/** The messages after a change. */
export function applyChange(messages: readonly Message[], change: TranscriptChange): Message[] {
  const { added, replaced, shortened, cleared } = change;
  let changed = cleared ? [] : [...messages];
  if (replaced) changed.splice(0, replaced.messages, replaced.by);
  if (shortened !== undefined) changed = shortenResults(changed, shortened);
  if (added) changed.push(added);
  return changed;
}

/**
 * The conversation of a run as the log tells it, with that of the runs it goes on from: what its model was sent and
 * answered, but for bytes and secrets, which the log does not keep. `events` are those of its session, in order. A call
 * without an outcome is told as what is known of it. Undefined when the log knows no such run.
 */
export function foldTranscript(events: readonly Event[], run: string): Message[] | undefined {
  const told = new Told(events);
  const open = told.conversation(run);
  return open && [...open.messages, ...told.outcomesOf(open.last)];
}

/** A conversation up to its last answer, which is `last` when nothing came after it: what its calls yielded is left out. */
export interface OpenConversation {
  readonly messages: Message[];
  readonly last?: EventOf<"turn-end"> | undefined;
}

/** What a log tells of conversations, by the ids of their runs. */
export class Told {
  readonly #starts = new Map<string, EventOf<"run-start">>();
  readonly #steps = new Map<string, (EventOf<"turn-end"> | EventOf<"transcript-change">)[]>();
  readonly #intents = new Set<string>();
  readonly #ends = new Map<string, EventOf<"call-end">>();

  constructor(events: readonly Event[]) {
    for (const event of events) {
      const { run, call } = event;
      if (call !== undefined && event.type === "execute-start") this.#intents.add(call);
      if (call !== undefined && event.type === "call-end") this.#ends.set(call, event);
      if (run === undefined) continue;
      if (event.type === "run-start") this.#starts.set(run, event);
      if (event.type === "turn-end" || event.type === "transcript-change") {
        const steps = this.#steps.get(run);
        if (steps) steps.push(event);
        else this.#steps.set(run, [event]);
      }
    }
  }

  /** The conversation of a run, with that of the runs it goes on from. Undefined for a run that the log does not know. */
  conversation(run: string): OpenConversation | undefined {
    const chain = this.#chainOf(run);
    let open: OpenConversation | undefined;
    for (const [index, start] of chain.entries()) {
      const history = open ? [...open.messages, ...this.outcomesOf(open.last)] : [];
      open = this.#follow(start, history, chain[index + 1]?.seq ?? Infinity);
    }
    return open;
  }

  /** The message that tells what the calls of an answer yielded; none when it asks for none. */
  outcomesOf(answer: EventOf<"turn-end"> | undefined): readonly Message[] {
    if (!answer) return [];
    const { run, data } = answer;
    const calls = data.message.role === "assistant" ? callsOf(data.message.content) : [];
    const results = calls.map((call, index) => this.#outcome(call, callId(run!, data.turn, index)));
    return results.length > 0 ? [{ role: "tool", results }] : [];
  }

  /** The starts of the runs that lead to this one, the first one first. */
  #chainOf(run: string): EventOf<"run-start">[] {
    const chain: EventOf<"run-start">[] = [];
    let start = this.#starts.get(run);
    while (start) {
      chain.push(start);
      const { continues } = start.data;
      const before: EventOf<"run-start"> | undefined =
        continues === undefined ? undefined : this.#starts.get(continues);
      // A log that was tampered with could lead in a circle.
      start = before && before.seq < start.seq ? before : undefined;
    }
    return chain.reverse();
  }

  /** The conversation after a run, as it stood when the log had this number. */
  #follow({ run, data }: EventOf<"run-start">, history: readonly Message[], until: number): OpenConversation {
    let messages = [...history, data.message];
    let asked: EventOf<"turn-end"> | undefined;
    const answer = () => {
      messages.push(...this.outcomesOf(asked));
      asked = undefined;
    };
    for (const event of this.#steps.get(run!) ?? []) {
      if (event.seq > until) break;
      if (event.type === "turn-end") {
        answer();
        messages.push(event.data.message);
        asked = event;
      } else {
        // Whoever goes on from a run that was forgotten begins anew, also if it was at work then.
        if (event.data.cleared) return { messages: [] };
        if (event.data.added?.role === "tool") asked = undefined;
        answer();
        messages = applyChange(messages, event.data);
      }
    }
    return { messages, last: asked };
  }

  #outcome(call: ModelCall, id: string): ToolOutcome {
    const end = this.#ends.get(id)?.data;
    if (end) return toOutcome(call, end.ok, contentOf(end));
    return toOutcome(call, false, [{ type: "text", text: this.#intents.has(id) ? INTERRUPTED : NOT_MADE }]);
  }
}

/** What a call yielded, as far as the log keeps it. */
export function contentOf({ result }: EventData["call-end"]): readonly Content[] {
  return "cut" in result ? [{ type: "text", text: result.preview }] : result.content;
}

const INTERRUPTED = "Interrupted: whether this call took effect is not known";
const NOT_MADE = "Not called: the run ended before";
