import { holdsCredential, withoutCredentials } from "./credential.ts";
import { PegboardError } from "./error.ts";
import type { Event, EventData, EventOf, EventType } from "./event.ts";
import { mapTexts, someText } from "./map-texts.ts";
import { AS_IT_IS, type Redactor } from "./redact.ts";
import type { Replacing } from "./text-matcher.ts";

/** Where a session's events go, as far as its log needs to know. */
export interface EventSink {
  /** Nothing when it is done at once, else a promise. */
  append(events: readonly Event[]): Promise<void> | void;
  read(query: {
    readonly session: string;
    readonly type?: EventType;
    readonly from?: number;
    readonly limit?: number;
    readonly last?: number;
  }): Promise<readonly Event[]>;
  readonly shared: boolean;
}

/** What an event is about, besides its session. */
export interface About {
  readonly run?: string;
  readonly call?: string;
  readonly parent?: string;
  readonly chain?: readonly string[];
}

/** The answer to an approval request, as it is on record. */
export type Answer = EventData["approval-response"];

/** An event that gets its number when it is written. */
type Draft = Event & { seq: number };

/** Whether a draft is not to be written any more, because another process has written these. */
type Unless = (others: readonly Event[]) => boolean;

const PAGE = 256;
const MAX_TRIES = 50;
/** What `append` returns when the store has taken the event at once: nothing is to be waited for. */
export const WRITTEN = Promise.resolve();
const NOBODY: readonly never[] = [];

/**
 * The log of one session: numbers its events and hands them to the store in order. What is appended together goes to the
 * store together, unless the store takes everything at once. Other processes may write to the same session: then the
 * numbers are taken anew. When the store refuses, the events are lost, everyone who appended them is told, and numbering
 * goes on without a gap. Secrets, and what looks like a credential, do not get in.
 */
export class SessionLog {
  readonly session: string;
  /** The process that holds the session, where there are processes. */
  readonly process: string | undefined;
  readonly #sink: EventSink;
  readonly #redactor: Redactor | undefined;
  #tailers: Set<() => void> | undefined;
  #listeners: readonly ((event: Event) => void)[] = NOBODY;
  #conditions: Map<Draft, Unless> | undefined;
  #drafts: Draft[] = [];
  #flush: Promise<void> | undefined;
  #writing: Promise<void> = WRITTEN;
  #last: number | undefined;
  /** Whether the sink took what it was given last at once: then nothing is on its way, and nothing is gained by waiting. */
  #atOnce = false;
  #closed = false;
  #start: EventData["session-start"] | undefined;

  /**
   * `fresh` says that the store holds nothing of this session yet. Nothing is written before the first `append`; without
   * `start` it is written to as it is, by somebody who does not hold the session.
   */
  constructor(
    session: string,
    sink: EventSink,
    options: { readonly fresh: boolean; readonly start?: EventData["session-start"]; readonly redactor?: Redactor },
  ) {
    this.session = session;
    this.#sink = sink;
    this.#redactor = options.redactor;
    this.#start = options.start;
    this.process = options.start?.process;
    if (options.fresh) this.#last = 0;
  }

  /** Whether other processes may write to it too. */
  get shared(): boolean {
    return this.#sink.shared;
  }

  /** Whether anything was appended. */
  get started(): boolean {
    return this.#start === undefined;
  }

  /**
   * Adds an event. Resolves when the store has it; a caller that does not wait must not assume that it has, and need not
   * catch.
   */
  append<Type extends EventType>(type: Type, data: EventData[Type], about?: About): Promise<void> {
    return this.#add(type, data, about);
  }

  /** Takes the secrets out of a text that comes in pieces; one of them may come in two. */
  pieces(): Replacing {
    return this.#redactor?.stream() ?? AS_IT_IS;
  }

  /** Tells listeners of something that passes and is not kept. */
  emit<Type extends EventType>(type: Type, data: EventData[Type], about?: About): void {
    if (this.#listeners.length === 0) return;
    const event = toDraft(type, this.session, Date.now(), this.#redact(data), about);
    for (const listener of this.#listeners) listener(event);
  }

  /** Calls the listener with every event that this process writes, once it is written. It must not throw. */
  listen(listener: (event: Event) => void): Disposable {
    if (!this.#listeners.includes(listener)) this.#listeners = [...this.#listeners, listener];
    return { [Symbol.dispose]: () => void (this.#listeners = this.#listeners.filter((one) => one !== listener)) };
  }

  /** The answer to an approval request that is on record: the first one counts. */
  async answerTo(id: string): Promise<Answer | undefined> {
    return findAnswer(await this.#sink.read({ session: this.session, type: "approval-response" }), id);
  }

  /**
   * Records an answer unless there is one already. Resolves to the one that counts: the very object that was given when it
   * is this one.
   */
  async answer(answer: Answer, about: About): Promise<Answer> {
    // The number is taken before the look: whoever answers in between takes it away, and is found.
    if (this.#sink.shared) this.#last ??= await this.#lastSeq();
    const present = this.#sink.shared ? await this.answerTo(answer.id) : undefined;
    if (present) return present;
    let beaten = false;
    await this.#add(
      "approval-response",
      answer,
      about,
      (others) => (beaten = findAnswer(others, answer.id) !== undefined),
    );
    return beaten ? ((await this.answerTo(answer.id)) ?? answer) : answer;
  }

  /**
   * Adds an event unless something is on record, behind what the caller has seen, that it is not to follow. Resolves to
   * whether it was added.
   */
  async appendUnless<Type extends EventType>(
    type: Type,
    data: EventData[Type],
    about: About,
    seen: number,
    unless: Unless,
  ): Promise<boolean> {
    // From here on whoever writes takes a number away, and is found.
    this.#last ??= seen;
    if (this.#last !== seen && unless(await this.#sink.read({ session: this.session, from: seen + 1 }))) return false;
    let beaten = false;
    await this.#add(type, data, about, (others) => (beaten = unless(others)));
    return !beaten;
  }

  #add<Type extends EventType>(type: Type, data: EventData[Type], about?: About, unless?: Unless): Promise<void> {
    const at = Date.now();
    if (this.#start) {
      this.#drafts.push({
        v: 1,
        seq: 0,
        at,
        type: "session-start",
        session: this.session,
        data: this.#redact(this.#start),
      });
      this.#start = undefined;
    }
    const draft = toDraft(type, this.session, at, this.#redact(data), about);
    if (unless) (this.#conditions ??= new Map()).set(draft, unless);
    if (this.#atOnce && !this.#flush) return this.#follow(this.#put([draft]));
    this.#drafts.push(draft);
    return (this.#flush ??= this.#follow(this.#write(this.#writing)));
  }

  /** History from a sequence number on, then every new event as it comes, until the session is closed. */
  async *events(
    options: { readonly from?: number; readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<Event, void, undefined> {
    const { signal } = options;
    let next = options.from ?? 1;
    while (!signal?.aborted) {
      const closed = this.#closed;
      const page = await this.#sink.read({ session: this.session, from: next, limit: PAGE });
      for (const event of page) {
        yield event;
        if (signal?.aborted) return;
      }
      next = (page.at(-1)?.seq ?? next - 1) + 1;
      if (page.length > 0) continue;
      if (closed) return;
      // Closed while it read: there may be a last page.
      if (!this.#closed && (this.#last ?? 0) < next) await this.#grown(signal);
    }
  }

  /** Everything that is on record. */
  async read(): Promise<readonly Event[]> {
    await this.#flush?.catch(() => {});
    await this.#writing;
    return this.#sink.read({ session: this.session });
  }

  /** The events of one type that are on record, from a sequence number on. */
  async readFrom<Type extends EventType>(from: number, type: Type): Promise<readonly EventOf<Type>[]> {
    return (await this.#sink.read({ session: this.session, type, from })) as readonly EventOf<Type>[];
  }

  /** Waits for what is being written and lets followers end. Appending afterwards is a defect. */
  async close(): Promise<void> {
    await this.#flush?.catch(() => {});
    await this.#writing;
    this.#closed = true;
    this.#wake();
  }

  #redact<Data>(data: Data): Data {
    const known = this.#redactor?.json(data) ?? data;
    return someText(known, holdsCredential) ? mapTexts(known, withoutCredentials) : known;
  }

  /** Lets what comes next wait for what is being written, and whoever appended it. */
  #follow(writing: Promise<void> | void): Promise<void> {
    if (!writing) return WRITTEN;
    this.#writing = writing.catch(() => {});
    return writing;
  }

  async #write(before: Promise<void>): Promise<void> {
    await before;
    const drafts = this.#drafts;
    this.#drafts = [];
    this.#flush = undefined;
    this.#last ??= await this.#lastSeq();
    await this.#put(drafts);
  }

  /** Writes drafts, behind which the last number is known. Nothing when it is done at once, else a promise. */
  #put(drafts: Draft[]): Promise<void> | void {
    const last = this.#last!;
    const putting = this.#send(drafts, last);
    this.#atOnce = putting === undefined;
    if (putting) return this.#settle(putting, drafts, last);
    this.#written(drafts, last);
  }

  #send(drafts: readonly Draft[], last: number): Promise<void> | void {
    let seq = last;
    for (const draft of drafts) draft.seq = ++seq;
    try {
      return this.#sink.append(drafts);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  /** Waits for the sink, and takes the numbers anew as long as others take them away. */
  async #settle(first: Promise<void>, given: Draft[], after: number): Promise<void> {
    let [putting, drafts, last]: [Promise<void> | void, Draft[], number] = [first, given, after];
    for (let tries = 1; ; tries++) {
      try {
        await putting;
        this.#written(drafts, last);
        return;
      } catch (error) {
        this.#last = undefined;
        if (!(error instanceof PegboardError && error.code === "duplicate") || tries >= MAX_TRIES) {
          this.#startAgain(drafts);
          throw error;
        }
        const others = await this.#sink.read({ session: this.session, from: last + 1 });
        drafts = drafts.filter((draft) => !this.#conditions?.get(draft)?.(others));
        // Not read anew: what was written since this look must be met by the next one.
        this.#last = others.at(-1)?.seq ?? lastBefore(error);
      }
      last = this.#last ??= await this.#lastSeq();
      putting = this.#send(drafts, last);
    }
  }

  #written(drafts: readonly Draft[], last: number): void {
    this.#last = last + drafts.length;
    if (this.#conditions) for (const draft of drafts) this.#conditions.delete(draft);
    this.#wake();
    for (const listener of this.#listeners) for (const draft of drafts) listener(draft);
  }

  /** A session whose start was lost starts with what is written next: nobody could tell whose it is. */
  #startAgain(lost: readonly Draft[]): void {
    const start = lost.find(({ type }) => type === "session-start");
    if (!start) return;
    if (this.#drafts.length > 0) this.#drafts.unshift(start);
    else this.#start = start.data as EventData["session-start"];
  }

  async #lastSeq(): Promise<number> {
    return (await this.#sink.read({ session: this.session, last: 1 }))[0]?.seq ?? 0;
  }

  #grown(signal: AbortSignal | undefined): Promise<void> {
    // Fired while the last page was read: nothing would wake it any more.
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#tailers?.delete(done);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      (this.#tailers ??= new Set()).add(done);
      signal?.addEventListener("abort", done);
    });
  }

  #wake(): void {
    if (this.#tailers) for (const wake of this.#tailers) wake();
  }
}

// Spread, the common case would cost several times as much.
function toDraft(type: EventType, session: string, at: number, data: unknown, about: About | undefined): Draft {
  if (about?.call !== undefined && about.parent === undefined && about.chain === undefined)
    return { v: 1, seq: 0, at, type, session, call: about.call, data } as Draft;
  return { v: 1, seq: 0, at, type, session, ...about, data } as Draft;
}

/** The newest number as the store told it: of a session that was pruned there is nothing to read. */
function lastBefore({ details }: PegboardError): number | undefined {
  const { next } = Object(details) as { next?: unknown };
  return typeof next === "number" ? next - 1 : undefined;
}

function findAnswer(events: readonly Event[], id: string): Answer | undefined {
  return events
    .map(({ data }) => data as Answer)
    .find((data, index) => events[index]!.type === "approval-response" && data.id === id);
}
