import { holdsCredential, withoutCredentials } from "./credential.ts";
import { PegboardError } from "./error.ts";
import type { Event, EventData, EventType } from "./event.ts";
import { mapTexts, someText } from "./map-texts.ts";
import type { Redactor } from "./redact.ts";

/** Where a session's events go, as far as its log needs to know. */
export interface EventSink {
  append(events: readonly Event[]): Promise<void>;
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

/**
 * The log of one session: numbers its events and hands them to the store in order. What is appended together goes to the
 * store together. Other processes may write to the same session: then the numbers are taken anew. When the store refuses,
 * the events are lost, everyone who appended them is told, and numbering goes on without a gap. Secrets, and what looks
 * like a credential, do not get in.
 */
export class SessionLog {
  readonly session: string;
  /** The process that holds the session, where there are processes. */
  readonly process: string | undefined;
  readonly #sink: EventSink;
  readonly #redactor: Redactor | undefined;
  readonly #tailers = new Set<() => void>();
  readonly #conditions = new Map<Draft, Unless>();
  #drafts: Draft[] = [];
  #flush: Promise<void> | undefined;
  #writing: Promise<void> = Promise.resolve();
  #last: number | undefined;
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

  /** Adds an event. Resolves when the store has it; a caller that does not wait must not assume that it has. */
  append<Type extends EventType>(type: Type, data: EventData[Type], about?: About): Promise<void> {
    return this.#add(type, data, about);
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
    this.#drafts.push(draft);
    if (unless) this.#conditions.set(draft, unless);
    if (!this.#flush) {
      this.#flush = this.#write(this.#writing);
      this.#writing = this.#flush.catch(() => {});
    }
    return this.#flush;
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

  async #write(before: Promise<void>): Promise<void> {
    await before;
    let drafts = this.#drafts;
    this.#drafts = [];
    this.#flush = undefined;
    for (let tries = 1; ; tries++) {
      const last = (this.#last ??= await this.#lastSeq());
      try {
        let seq = last;
        for (const draft of drafts) draft.seq = ++seq;
        await this.#sink.append(drafts);
        this.#last = seq;
        if (this.#conditions.size > 0) for (const draft of drafts) this.#conditions.delete(draft);
        this.#wake();
        return;
      } catch (error) {
        this.#last = undefined;
        if (!(error instanceof PegboardError && error.code === "duplicate") || tries >= MAX_TRIES) {
          this.#startAgain(drafts);
          throw error;
        }
        const others = await this.#sink.read({ session: this.session, from: last + 1 });
        drafts = drafts.filter((draft) => !this.#conditions.get(draft)?.(others));
        // Not read anew: what was written since this look must be met by the next one.
        this.#last = others.at(-1)?.seq ?? lastBefore(error);
      }
    }
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
    return new Promise((resolve) => {
      const done = () => {
        this.#tailers.delete(done);
        signal?.removeEventListener("abort", done);
        resolve();
      };
      this.#tailers.add(done);
      signal?.addEventListener("abort", done);
    });
  }

  #wake(): void {
    for (const wake of this.#tailers) wake();
  }
}

// Spread, the common case would cost several times as much.
function toDraft(type: EventType, session: string, at: number, data: unknown, about: About | undefined): Draft {
  if (about && about.parent === undefined && about.chain === undefined)
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
