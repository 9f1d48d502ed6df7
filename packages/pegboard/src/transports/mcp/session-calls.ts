import type { Json } from "@pegboard/contract";
import type { ApprovalAnswer } from "../../core/approval.ts";
import type { Event } from "../../core/event.ts";
import { canonicalJson } from "../../core/json.ts";
import type { Session } from "../../core/session.ts";
import type { CallWork } from "./call-work.ts";
import { ClientCall, type ClientCallDeps } from "./client-call.ts";

/** How long calls are kept and waited for. Times are milliseconds. */
export interface CallTimes {
  /** How long a client waits that could not ask anybody, before it is told how others can answer. */
  readonly waitMs: number;
  /** How long a result is kept for a client that left. */
  readonly keepMs: number;
}

// Below the 60 seconds after which several clients give up.
const TIMES: CallTimes = { waitMs: 45_000, keepMs: 10 * 60_000 };

/** The calls that clients make in one session: those they wait for and those they may come back for. */
export class SessionCalls implements Disposable {
  readonly #keepMs: number;
  readonly #deps: ClientCallDeps;
  readonly #calls = new Map<string, ClientCall<unknown>>();
  /** By the ids of calls and runs that belong to a call. */
  readonly #parts = new Map<string, ClientCall<unknown>>();
  readonly #listening: Disposable;

  constructor(session: Session, times: Partial<CallTimes> = {}) {
    const { waitMs, keepMs } = { ...TIMES, ...times };
    this.#keepMs = keepMs;
    this.#deps = { session, waitMs, ended: (call) => this.#ended(call) };
    this.#listening = session.listen((event) => this.#hear(event));
  }

  /** Begins a call, or takes up the same one that a client left while it waited for approval. */
  begin<T>(work: CallWork<T>): ClientCall<T> {
    const same = this.#calls.values().find((call) => call.left && isSame(call, work));
    return (same as ClientCall<T> | undefined) ?? this.#start(work);
  }

  /** Begins a call that a client has answered for already, in a process that is gone. */
  beginAnswered<T>(work: CallWork<T>, answer: ApprovalAnswer): ClientCall<T> {
    return this.#start(work, answer);
  }

  /** A call that has not been told its result yet. */
  find(id: string): ClientCall<unknown> | undefined {
    return this.#calls.get(id);
  }

  /** The result has been told: nobody comes back. */
  forget({ id }: ClientCall<unknown>): void {
    this.#calls.delete(id);
  }

  [Symbol.dispose](): void {
    this.#listening[Symbol.dispose]();
    for (const call of this.#calls.values()) call.cancel();
    this.#calls.clear();
  }

  #start<T>(work: CallWork<T>, answer?: ApprovalAnswer): ClientCall<T> {
    const call = new ClientCall(work, this.#deps, answer);
    this.#calls.set(call.id, call);
    this.#parts.set(call.id, call);
    return call;
  }

  #ended({ id, isAttended }: ClientCall<unknown>): void {
    this.#parts.delete(id);
    if (isAttended) return;
    const timer: unknown = setTimeout(() => this.#calls.delete(id), this.#keepMs);
    // A result that nobody fetches keeps no process alive.
    (timer as { unref?(): void }).unref?.();
  }

  #hear(event: Event): void {
    switch (event.type) {
      case "call-start":
        return this.#join(event.call, event.parent ?? event.run);
      case "run-start":
        return this.#join(event.run, event.parent ?? this.#askerOf(event.data.agent)?.id);
      case "call-progress":
        return this.#ownerOf(event)?.reported(event.data);
      case "approval-request":
        return this.#ownerOf(event)?.asked({ ...event.data, ...(event.chain && { chain: event.chain }) });
      case "approval-response":
        return this.#ownerOf(event)?.answered(event.data.id);
      case "call-end":
        return void this.#parts.delete(event.call ?? "");
      case "run-end":
        return void this.#parts.delete(event.run ?? "");
    }
  }

  #join(part: string | undefined, whole: string | undefined): void {
    const owner = whole === undefined ? undefined : this.#parts.get(whole);
    if (owner && part !== undefined) this.#parts.set(part, owner);
  }

  #ownerOf({ call, run }: Event): ClientCall<unknown> | undefined {
    return this.#parts.get(call ?? "") ?? this.#parts.get(run ?? "");
  }

  /** Whose agent begins to work: a run that a client asked for is started by no call of another run. */
  #askerOf(agent: string): ClientCall<unknown> | undefined {
    const taken = new Set(this.#parts.entries().flatMap(([id, call]) => (id === call.id ? [] : [call])));
    return this.#calls
      .values()
      .find(
        (call) => call.tool === "agent" && (Object(call.input) as { agent?: Json }).agent === agent && !taken.has(call),
      );
  }
}

function isSame(call: ClientCall<unknown>, { tool, input }: CallWork<unknown>): boolean {
  return call.tool === tool && canonicalJson(call.input) === canonicalJson(input);
}
