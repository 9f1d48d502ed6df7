import type { ApprovalAnswer, ApproveMode } from "../core/approval.ts";
import { PegboardError } from "../core/error.ts";
import type { EventData } from "../core/event.ts";
import type { Session } from "../core/session.ts";
import type { OpenOptions, Runtime } from "../runtime.ts";
import { answerAsPrincipal } from "./answer.ts";
import { IdleSessions } from "./idle-sessions.ts";
import type { Principal } from "./principal.ts";
import { savedSession } from "./saved-session.ts";

/** What the desk holds everybody to. */
export interface DeskOptions {
  /** The most sessions that one principal has open at once; 1,000 when absent. */
  readonly sessions?: number;
  /** The most calls and runs that one principal has at work at once; 20,000 when absent. */
  readonly work?: number;
  /** What happens when a call asks: by default it waits for an answer, through whichever door. */
  readonly approve?: Exclude<ApproveMode, "ask">;
  /** Is told of every session before it is used. */
  opened?(session: Session): void;
}

/** How a door opens a session. Whose it is and who is asked is not the door's to say. */
export interface DeskSessionOptions extends Omit<OpenOptions, "principal" | "client" | "approve" | "approver"> {
  /** Closes it when nobody uses it for long; it goes on from the log. A door that holds sessions for clients does without. */
  readonly endsIdle?: boolean;
}

/**
 * The one place where doors get sessions. Every session has one principal: to all others it does not exist. What asks for
 * approval waits for `answer`, through whichever door the answer comes.
 */
export interface Desk {
  readonly runtime: Runtime;
  /** Opens a session. Throws `busy` when the principal has too many, `unavailable` when the desk closes. */
  open(principal: Principal, options?: DeskSessionOptions): Session;
  /**
   * A session of the principal: one that is open, or one of the log, which then goes on, opened with the options. Rejects
   * with `not_found`.
   */
  find(principal: Principal, id: string, options?: Omit<DeskSessionOptions, "id">): Promise<Session>;
  /** Counts a session as used until it is disposed: meanwhile it does not end as an idle one. */
  use(session: Session): Disposable;
  /** The principal's sessions that are open here. */
  sessions(principal: Principal): readonly Session[];
  /** Closes a session of the principal; what it left in the log stays. Whether it was open here. */
  leave(principal: Principal, id: string): Promise<boolean>;
  /**
   * Answers an approval request of the principal, also one that another process waits with. The first answer counts:
   * others reject with `duplicate`. Rejects with `not_found`, `expired`, or `invalid_input` for a wrong answer.
   */
  answer(principal: Principal, approval: string, answer: ApprovalAnswer): Promise<void>;
  /** Counts a piece of work of the principal until it is disposed. Throws `busy` or `unavailable`, as `open`. */
  enter(principal: Principal): Disposable;
  /** How much work is going on, of all principals. */
  readonly atWork: number;
  /** Whether the desk takes no more work. */
  readonly closing: boolean;
  /** Takes no more work, waits until what is going on has ended or the signal fires, and closes every session. */
  close(signal?: AbortSignal): Promise<void>;
}

interface Seat {
  readonly sessions: Map<string, Session>;
  work: number;
}

/** Makes the desk of a runtime. */
export function createDesk(runtime: Runtime, options: DeskOptions = {}): Desk {
  const { sessions: most = 1_000, work: mostWork = 20_000, approve = "wait", opened } = options;
  const unused = new IdleSessions(runtime.limits.sessionIdleMs);
  const seats = new Map<string, Seat>();
  const opening = new Map<string, Promise<Session>>();
  let atWork = 0;
  let idle: (() => void) | undefined;
  let closed: Promise<void> | undefined;

  const seatOf = ({ id }: Principal): Seat => {
    const seat = seats.get(id) ?? { sessions: new Map(), work: 0 };
    seats.set(id, seat);
    return seat;
  };

  const present = ({ id }: Principal): readonly Session[] =>
    [...(seats.get(id)?.sessions.values() ?? [])].filter(({ closing }) => !closing);

  function release(principal: Principal, seat: Seat): void {
    if (seat.sessions.size === 0 && seat.work === 0 && seats.get(principal.id) === seat) seats.delete(principal.id);
  }

  function admit(): void {
    if (closed) throw new PegboardError("unavailable", "The server is shutting down", { retryable: true });
  }

  function open(principal: Principal, { endsIdle = false, ...options }: DeskSessionOptions = {}): Session {
    admit();
    if (present(principal).length >= most)
      throw new PegboardError("busy", `There are ${most} open sessions already: close one first`, { retryable: true });
    const { id, client } = principal;
    const session = runtime.open({ ...options, principal: id, ...(client && { client }), approve });
    const seat = seatOf(principal);
    seat.sessions.set(session.id, session);
    opened?.(session);
    if (endsIdle) unused.watch(session);
    // Whoever closes it, also one who does not know of the desk.
    void session.closed.then(() => {
      if (seat.sessions.get(session.id) === session) seat.sessions.delete(session.id);
      release(principal, seat);
    });
    return session;
  }

  async function reopen(principal: Principal, id: string, options?: DeskSessionOptions): Promise<Session> {
    await seats.get(principal.id)?.sessions.get(id)?.closed;
    // What belongs to somebody else is told exactly as what does not exist.
    if (!(await savedSession(runtime, principal.id, id)))
      throw new PegboardError("not_found", `There is no session "${id}"`);
    const [start] = await runtime.store.read({ session: id, type: "session-start", last: 1 });
    return open(principal, { ...(start && toEarlier(start.data as EventData["session-start"])), ...options, id });
  }

  async function find(principal: Principal, id: string, options?: DeskSessionOptions): Promise<Session> {
    const here = seats.get(principal.id)?.sessions.get(id);
    if (here && !here.closing) return here;
    const key = JSON.stringify([principal.id, id]);
    const pending = opening.get(key) ?? reopen(principal, id, options).finally(() => opening.delete(key));
    opening.set(key, pending);
    return pending;
  }

  return {
    runtime,
    open,
    find,
    use: (session) => unused.use(session),
    sessions: present,
    async leave(principal, id) {
      const session = seats.get(principal.id)?.sessions.get(id);
      await session?.close();
      return session !== undefined;
    },
    answer: (principal, approval, answer) =>
      answerAsPrincipal({ runtime, principal, sessions: present(principal) }, approval, answer),
    enter(principal) {
      admit();
      const seat = seatOf(principal);
      if (seat.work >= mostWork)
        throw new PegboardError("busy", `There are ${mostWork} calls at work already: try again later`, {
          retryable: true,
        });
      seat.work++;
      atWork++;
      let left = false;
      return {
        [Symbol.dispose]() {
          if (left) return;
          left = true;
          seat.work--;
          release(principal, seat);
          if (--atWork === 0) idle?.();
        },
      };
    },
    get atWork() {
      return atWork;
    },
    get closing() {
      return closed !== undefined;
    },
    close(signal) {
      closed ??= drain(signal).then(async () => {
        const all = Array.from(seats.values(), ({ sessions }) => [...sessions.values()]).flat();
        await Promise.all(all.map((session) => session.close()));
      });
      return closed;
    },
  };

  async function drain(signal: AbortSignal | undefined): Promise<void> {
    if (atWork === 0 || signal?.aborted) return;
    await new Promise<void>((resolve) => {
      idle = resolve;
      signal?.addEventListener("abort", () => resolve(), { once: true });
    });
  }
}

/** What a session was opened with and goes on with. A client does not become a tool by it. */
function toEarlier({ as, metadata }: EventData["session-start"]): DeskSessionOptions {
  return { metadata: metadata as NonNullable<DeskSessionOptions["metadata"]>, ...(as === "user" && { as }) };
}
