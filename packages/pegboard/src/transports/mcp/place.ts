import type { Session } from "../../core/session.ts";
import type { Desk } from "../desk.ts";
import type { Principal } from "../principal.ts";
import { type AnswerLate, createAnswerLate, type LateAnswer } from "./answer-late.ts";
import type { Seal } from "./seal.ts";
import type { Era, McpSeat } from "./seat.ts";
import { type CallTimes, SessionCalls } from "./session-calls.ts";
import { SessionTasks } from "./session-tasks.ts";

/** What all places of a door share. */
export interface PlaceDeps {
  readonly desk: Desk;
  readonly seal: Seal;
  readonly times: Partial<CallTimes> | undefined;
}

/**
 * A session of a principal, and what all servers in it share. There may be thousands that are idle: what only a call needs is
 * made with the first one. Disposing cancels the calls.
 */
export class Place implements Disposable {
  readonly principal: Principal;
  readonly session: Session;
  readonly #deps: PlaceDeps;
  #calls: SessionCalls | undefined;
  #tasks: SessionTasks | undefined;

  constructor(principal: Principal, session: Session, deps: PlaceDeps) {
    this.principal = principal;
    this.session = session;
    this.#deps = deps;
  }

  get calls(): SessionCalls {
    return (this.#calls ??= new SessionCalls(this.session, this.#deps.times));
  }

  get tasks(): SessionTasks {
    return (this.#tasks ??= new SessionTasks());
  }

  get seal(): Seal {
    return this.#deps.seal;
  }

  /** What a server of this era serves; `room` where sending does not wait for a slow client. */
  seat(era: Era, room?: McpSeat["room"]): McpSeat {
    return new Seat(this, era, room);
  }

  /** Takes an answer to what a process asked that is gone. */
  answerLate(answer: LateAnswer): ReturnType<AnswerLate> {
    return createAnswerLate(this.#deps.desk, this.principal, this.session)(answer);
  }

  /** Counts a piece of work until it is disposed. Throws `busy` or `unavailable`. */
  enter(): Disposable {
    return this.#deps.desk.enter(this.principal);
  }

  [Symbol.dispose](): void {
    this.#tasks?.[Symbol.dispose]();
    this.#calls?.[Symbol.dispose]();
  }
}

class Seat implements McpSeat {
  readonly era: Era;
  readonly room: McpSeat["room"];
  readonly #place: Place;

  constructor(place: Place, era: Era, room: McpSeat["room"]) {
    this.#place = place;
    this.era = era;
    this.room = room;
  }

  get session(): Session {
    return this.#place.session;
  }

  get calls(): SessionCalls {
    return this.#place.calls;
  }

  get tasks(): SessionTasks {
    return this.#place.tasks;
  }

  get principal(): string {
    return this.#place.principal.id;
  }

  get seal(): Seal {
    return this.#place.seal;
  }

  answerLate(answer: LateAnswer): ReturnType<AnswerLate> {
    return this.#place.answerLate(answer);
  }

  enter(): Disposable {
    return this.#place.enter();
  }
}
