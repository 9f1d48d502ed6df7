import { PegboardError } from "../core/error.ts";
import type { EventData } from "../core/event.ts";
import type { PagedLog } from "../core/event-pages.ts";
import { type EventSink, SessionLog } from "../core/log.ts";
import type { Message } from "../core/model.ts";
import type { Redactor } from "../core/redact.ts";
import { toSessionId } from "../core/session-id.ts";
import { endRuns } from "./end-runs.ts";
import { RunLog } from "./run-log.ts";
import { type AtWork, isOver, readSessions, type RunRecord, type SessionRecord } from "./session-records.ts";
import { foldTranscript, userMessage } from "./transcript.ts";

/** The log of all sessions, as far as they need to know. */
export interface SessionsLog extends EventSink, PagedLog<{ readonly session?: string }> {
  prune(options: {
    readonly before: number;
    readonly keep?: readonly string[];
    readonly only?: readonly string[];
  }): Promise<{ readonly sessions: number; readonly events: number }>;
}

/** What sessions are kept with. */
export interface SessionsDeps extends AtWork {
  readonly log: SessionsLog;
  readonly redactor?: Redactor;
  /** Closes a session that is open here. */
  close?(session: string): Promise<void>;
}

/** A session, and the conversation of its last run. */
export interface SessionDetails extends SessionRecord {
  readonly messages: readonly Message[];
}

/** The sessions that the log knows, of whatever process. A session that it does not know is `not_found`. */
export interface Sessions {
  /** All of them, the one that was used last first. */
  list(): Promise<readonly SessionRecord[]>;
  /** One of them; the beginning of its id is enough. Rejects with `invalid_input` when it may be several. */
  show(id: string): Promise<SessionDetails>;
  /** The runs of all sessions that no other run started, the newest first. */
  runs(): Promise<readonly RunRecord[]>;
  /** Begins a new session with the history of a run, by default of the last one. The runs of both go on apart. */
  fork(
    session: string,
    options?: { readonly run?: string; readonly id?: string },
  ): Promise<{ session: string; run: string }>;
  /** Adds a message that the model reads when the conversation goes on. Rejects with `busy` while a run is at work. */
  inject(session: string, text: string): Promise<{ run: string }>;
  /** Forgets the conversation; what happened stays in the log. Rejects with `busy` while a run is at work. */
  clear(session: string): Promise<{ run: string }>;
  /** Takes a session out of the log. One that is open here is closed; one that another process holds is `busy`. */
  delete(session: string): Promise<{ events: number }>;
  /** Takes sessions out of the log that were not used for so long. What somebody may still need stays. */
  clean(options: { readonly olderThanMs: number }): Promise<{ sessions: number; events: number }>;
  /**
   * Ends a run, or all runs of a session. Whoever has them at work is asked to through the log; those that nobody has are
   * ended at once. Resolves to how many there were of each.
   */
  cancel(id: string, by: string): Promise<{ asked: number; ended: number }>;
}

/** Makes the view of all sessions over a log. */
export function createSessions(deps: SessionsDeps): Sessions {
  const { log, redactor } = deps;
  const list = () => readSessions(log, deps);
  const logOf = (session: string) => new SessionLog(session, log, { fresh: false, ...(redactor && { redactor }) });

  async function find(id: string): Promise<SessionRecord> {
    const exact = await readSessions(log, deps, id);
    const found =
      exact.length > 0 || id === "" ? exact : (await list()).filter(({ session }) => session.startsWith(id));
    return only(found, id, "session", ({ session }) => session);
  }

  async function lastRun(id: string): Promise<RunRecord> {
    const { session, runs } = await find(id);
    const [last] = runs;
    if (!last) throw new PegboardError("not_found", `Session "${session}" has no run: there is no conversation in it`);
    if (last.status === "running" || last.status === "waiting")
      throw new PegboardError(
        "busy",
        `Run "${last.run}" of session "${session}" is at work: wait for it, or cancel it`,
        {
          retryable: true,
        },
      );
    return last;
  }

  async function change(id: string, data: EventData["transcript-change"]): Promise<{ run: string }> {
    const { session, run } = await lastRun(id);
    await logOf(session).append("transcript-change", data, { run });
    return { run };
  }

  return {
    list,
    async show(id) {
      const record = await find(id);
      const [last] = record.runs;
      const events = last ? await log.read({ session: record.session }) : [];
      return { ...record, messages: (last && foldTranscript(events, last.run)) ?? [] };
    },
    async runs() {
      return (await list()).flatMap(({ runs }) => runs).sort((a, b) => b.startedAt - a.startedAt);
    },
    async fork(id, options = {}) {
      const { session, runs } = await find(id);
      const run =
        options.run === undefined
          ? runs[0]
          : only(
              runs.filter((one) => one.run.startsWith(options.run!)),
              options.run,
              "run",
              (one) => one.run,
            );
      const events = await log.read({ session });
      const [first, ...messages] = (run && foldTranscript(events, run.run)) ?? [];
      if (!run || !first)
        throw new PegboardError("not_found", `Session "${session}" has no conversation to begin with`);
      const forked = toSessionId(options.id);
      if (await known(log, forked)) throw new PegboardError("duplicate", `There is a session "${forked}" already`);
      const start = events.find((event) => event.type === "session-start")!.data as EventData["session-start"];
      const { process: _, ...data } = start;
      return { session: forked, run: await writeFork(forked, data, run, [first, ...messages], log) };
    },
    inject: (session, text) => change(session, { added: userMessage(text) }),
    clear: (session) => change(session, { cleared: true }),
    async delete(id) {
      const { session } = await find(id);
      await deps.close?.(session);
      const { inUse } = await find(session);
      if (inUse === "a living process holds it")
        throw new PegboardError("busy", `Session "${session}" is in use: ${inUse}. End it there first`);
      const { events } = await log.prune({ before: LAST_TIME, only: [session] });
      return { events };
    },
    async clean({ olderThanMs }) {
      const keep = (await list()).filter(({ inUse }) => inUse !== undefined).map(({ session }) => session);
      return log.prune({ before: Date.now() - olderThanMs, keep });
    },
    async cancel(id, by) {
      const all = await list();
      const found = all.filter(({ session }) => session.startsWith(id));
      const open = all.flatMap(({ runs }) => runs).filter((run) => run.run.startsWith(id));
      const runs =
        found.length > 0
          ? only(found, id, "session", ({ session }) => session).runs
          : [only(open, id, "run", ({ run }) => run)];
      const left = runs.filter(({ status }) => !isOver(status));
      let asked = 0;
      for (const run of left) {
        if (run.status === "interrupted") {
          const message = `The run was cancelled by ${by} after its process had ended`;
          const runs = new RunLog(await log.read({ session: run.session }));
          await endRuns(run.run, runs, logOf(run.session), { code: "cancelled", message });
        } else {
          await logOf(run.session).append("cancel-request", { run: run.run, by });
          asked++;
        }
      }
      return { asked, ended: left.length - asked };
    },
  };
}

/** A date cannot be later. */
const LAST_TIME = 8.64e15;

async function known(log: SessionsLog, session: string): Promise<boolean> {
  return (await log.read({ session, last: 1 })).length > 0;
}

function only<One>(found: readonly One[], id: string, what: string, idOf: (one: One) => string): One {
  const [first, ...others] = found;
  if (!first) throw new PegboardError("not_found", `There is no ${what} "${id}" in the log`);
  const exact = found.find((one) => idOf(one) === id);
  if (exact) return exact;
  if (others.length > 0)
    throw new PegboardError("invalid_input", `"${id}" is the beginning of ${found.length} ${what}s: write more of it`);
  return first;
}

/** Writes a run that is over into a new session, whose conversation is these messages. */
async function writeFork(
  session: string,
  start: EventData["session-start"],
  from: RunRecord,
  [message, ...others]: readonly [Message, ...Message[]],
  sink: EventSink,
): Promise<string> {
  const log = new SessionLog(session, sink, { fresh: true, start });
  const about = { run: crypto.randomUUID(), chain: [from.agent] };
  const { agent, model } = from;
  const forked = { session: from.session, run: from.run };
  const nothing = { text: "", usage: { input: 0, output: 0 }, cost: 0, turns: 0, calls: 0 };
  // Together: half a history is none.
  await Promise.all([
    log.append("run-start", { agent, model, message, depth: 0, forked }, about),
    ...others.map((added) => log.append("transcript-change", { added }, about)),
    log.append("run-end", { agent, status: "completed", ...nothing }, about),
    log.append("session-end", { calls: 0 }),
  ]);
  return about.run;
}
