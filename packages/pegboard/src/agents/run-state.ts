import type { Event, EventData, EventOf } from "../core/event.ts";
import type { Message } from "../core/model.ts";
import type { Spent } from "./budget.ts";
import { Repetition } from "./repetition.ts";
import type { RunLog } from "./run-log.ts";
import { requestKey } from "./run-request.ts";
import { spentBy } from "./run-spent.ts";
import { callId, callsOf, textOf } from "./transcript.ts";

/** A run as the log tells it. */
export interface RunState {
  readonly id: string;
  readonly start: EventOf<"run-start">;
  readonly end?: EventOf<"run-end"> | undefined;
  /** The process that had it last. */
  readonly owner: string | undefined;
  /** The conversation; the outcomes of the last answer are left out when `answer` is there. */
  readonly messages: readonly Message[];
  /** The last answer, as long as nothing has come of it. */
  readonly answer?: EventOf<"turn-end"> | undefined;
  /** The last answer, as long as nothing but word of others has come after it. */
  readonly answered?: EventOf<"turn-end"> | undefined;
  /** The numbers are those of what is done: the calls of `answer` do not count. */
  readonly turns: number;
  readonly calls: number;
  readonly text: string;
  /** The tools that succeeded, and how often. */
  readonly done: ReadonlyMap<string, number>;
  readonly reminders: number;
  readonly repaired: boolean;
  readonly repetition: Repetition;
  /** What others had to say to it and it has not read. */
  readonly letters: readonly EventData["mailbox-change"][];
  /** How often it started runs, what it asked of them, and what it and they have used. */
  readonly started: number;
  readonly asked: readonly string[];
  readonly spent: Spent;
}

/** How a run stands, folded from the log. Undefined for one that the log does not know. */
export function toRunState(run: string, log: RunLog): RunState | undefined {
  const start = log.start(run);
  const open = log.told.conversation(run);
  if (!start || !open) return undefined;
  const own = log.eventsOf(run);
  const answers = own.filter((event) => event.type === "turn-end");
  const changes = own.flatMap((event) => (event.type === "transcript-change" ? [event.data] : []));
  const dealtWith = answers.filter((event) => event !== open.last);
  const ended = dealtWith.flatMap((event) => endsOf(event, log));
  const begun = log.childrenOf(run).map((child) => log.start(child)!);
  const tasks = log.tasksOf(run).map((task) => task.start);
  return {
    id: run,
    start,
    end: log.end(run),
    owner: log.owner(run),
    messages: open.messages,
    answer: open.last,
    answered: answeredIn(own),
    turns: answers.at(-1)?.data.turn ?? 0,
    calls: ended.length,
    text: answers.map(({ data: { message } }) => wordsOf(message)).findLast((text) => text !== "") ?? "",
    done: countDone(ended),
    reminders: changes.filter(({ why }) => why === "reminder").length,
    repaired: changes.some(({ why }) => why === "repair"),
    repetition: repetitionOf(dealtWith, log),
    letters: log.lettersTo(run),
    // A call that gives work away may start several runs for it, and counts once.
    started: new Set([...begun, ...tasks].map(({ parent }) => parent)).size,
    asked: [...begun.flatMap(({ data }) => askedBy(data)), ...tasks.map(({ data }) => requestKey(data))],
    spent: spentBy(run, log),
  };
}

function answeredIn(own: readonly Event[]): EventOf<"turn-end"> | undefined {
  const last = own.findLast((event) => event.type === "turn-end");
  if (last?.data.message.role !== "assistant" || callsOf(last.data.message.content).length > 0) return undefined;
  const isWord = ({ type, data, seq }: Event) =>
    seq < last.seq || type !== "transcript-change" || (data.task ?? data.letter) !== undefined;
  return own.every(isWord) ? last : undefined;
}

function endsOf({ run, data: { turn, message } }: EventOf<"turn-end">, log: RunLog): readonly EventOf<"call-end">[] {
  const calls = message.role === "assistant" ? callsOf(message.content) : [];
  return calls.flatMap((_, index) => log.call(callId(run!, turn, index)).end ?? []);
}

function countDone(ended: readonly EventOf<"call-end">[]): ReadonlyMap<string, number> {
  const done = new Map<string, number>();
  for (const { data } of ended) if (data.ok) done.set(data.tool, (done.get(data.tool) ?? 0) + 1);
  return done;
}

function repetitionOf(answers: readonly EventOf<"turn-end">[], { told }: RunLog): Repetition {
  const repetition = new Repetition();
  for (const answer of answers) {
    const { message } = answer.data;
    const calls = message.role === "assistant" ? callsOf(message.content) : [];
    if (calls.length === 0 || repetition.judge(calls) !== "make") continue;
    const [outcomes] = told.outcomesOf(answer);
    if (outcomes?.role === "tool") repetition.note(outcomes.results);
  }
  return repetition;
}

function wordsOf(message: Message): string {
  return message.role === "tool" ? "" : textOf(message.content);
}

/** What a run was asked, unless it was with files. */
function askedBy({ agent, message, prompt }: EventData["run-start"]): string[] {
  const isText = message.role === "user" && message.content.every(({ type }) => type === "text");
  return isText ? [requestKey({ agent, prompt: prompt ?? wordsOf(message) })] : [];
}
