import type { Event, EventData } from "../core/event.ts";
import { eventPages, type PagedLog } from "../core/event-pages.ts";
import { LOG_SESSION } from "../core/event.ts";
import type { RunResult } from "../core/run-result.ts";
import { paidFor } from "./run-spent.ts";
import { textOf } from "./transcript.ts";

/** How a run stands. `interrupted` is one whose process ended: it can be resumed. */
export type RunStatus = "running" | "waiting" | "interrupted" | RunResult["status"];

/** A run that no other run started, as the log tells it. */
export interface RunRecord {
  readonly run: string;
  readonly session: string;
  readonly agent: string;
  readonly model: string;
  /** The words that it was asked with. */
  readonly prompt: string;
  readonly status: RunStatus;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly turns: number;
  /** US dollars; of a run that is not over, what its own turns cost. */
  readonly cost: number;
  readonly error?: RunResult["error"];
}

/** A session as the log tells it. */
export interface SessionRecord {
  readonly session: string;
  readonly client: string;
  readonly principal: string;
  /** Its folder. */
  readonly cwd: string;
  readonly startedAt: number;
  readonly lastAt: number;
  readonly events: number;
  /** Its runs, the newest first. */
  readonly runs: readonly RunRecord[];
  readonly cost: number;
  /** What the last run was asked. */
  readonly prompt?: string;
  /** How its last run stands; `open` when a living process holds it and nothing runs, else `closed`. */
  readonly status: RunStatus | "open" | "closed";
  /** Why somebody may still need it; absent when nobody does. */
  readonly inUse?: string;
}

/** What tells whether somebody is at work. */
export interface AtWork {
  isAlive(process: string): boolean;
  /** Whether a run is at work here, for runs that name no process. */
  isRunning?(run: string): boolean;
}

/** All sessions in the log, the one that was used last first. Reads the whole log; keeps a little of each session. */
export async function readSessions(
  log: PagedLog<{ readonly session?: string }>,
  atWork: AtWork,
  session?: string,
): Promise<readonly SessionRecord[]> {
  const sessions = new Map<string, Tally>();
  for await (const page of eventPages(log, session === undefined ? {} : { session })) {
    for (const event of page) {
      if (event.session === LOG_SESSION) continue;
      let tally = sessions.get(event.session);
      if (!tally) sessions.set(event.session, (tally = createTally(event)));
      count(event, tally);
    }
  }
  const now = Date.now();
  return Array.from(sessions.values(), (tally) => toRecord(tally, atWork, now)).sort((a, b) => b.lastAt - a.lastAt);
}

type RunTally = Pick<RunRecord, "run" | "agent" | "model" | "prompt" | "startedAt"> & {
  lastAt: number;
  turns: number;
  cost: number;
  process: string | undefined;
  /** Whether it waits until fewer are at work. */
  queued: boolean;
  end?: EventData["run-end"];
};

interface Tally {
  readonly session: string;
  readonly startedAt: number;
  lastAt: number;
  events: number;
  client: string;
  principal: string;
  cwd: string;
  /** How often it was taken up and not given back; a process that was killed gives nothing back. */
  held: number;
  readonly processes: Set<string>;
  readonly runs: Map<string, RunTally>;
  /** The requests that were not answered: when they expire, and of which run they are. */
  readonly asked: Map<string, { readonly expiresAt: number; readonly root: string | undefined }>;
  /** The run at the top, for runs that others started. */
  readonly roots: Map<string, string>;
  readonly callers: Map<string, string>;
}

function createTally({ session, at }: Event): Tally {
  return {
    session,
    startedAt: at,
    lastAt: at,
    events: 0,
    client: "",
    principal: "",
    cwd: "",
    held: 0,
    processes: new Set(),
    runs: new Map(),
    asked: new Map(),
    roots: new Map(),
    callers: new Map(),
  };
}

function count(event: Event, tally: Tally): void {
  const { type, at, data, run, call, parent } = event;
  tally.events++;
  tally.lastAt = Math.max(tally.lastAt, at);
  if (type === "session-start") {
    tally.held++;
    tally.client = data.client;
    tally.principal = data.principal;
    tally.cwd = data.cwd;
    if (data.process !== undefined) tally.processes.add(data.process);
  }
  if (type === "session-end") tally.held--;
  if (type === "call-start" && run !== undefined) tally.callers.set(call!, run);
  if (type === "approval-response") tally.asked.delete(data.id);
  if (type === "run-start") countStart(event, tally);
  const root = tally.roots.get(run ?? "") ?? tally.roots.get(tally.callers.get(parent ?? "") ?? "");
  if (type === "approval-request") tally.asked.set(data.id, { expiresAt: data.expiresAt, root });
  const known = tally.runs.get(root ?? "");
  if (!known) return;
  known.lastAt = Math.max(known.lastAt, at);
  known.cost += paidFor(event)?.cost ?? 0;
  if (run !== known.run) return;
  if (type === "run-change" || type === "turn-start" || type === "call-start") known.queued = type === "run-change";
  if (type === "turn-end") known.turns = data.turn;
  if (type === "run-progress") known.process = data.process;
  if (type === "run-end") known.end = data;
}

function countStart({ run, parent, at, data }: Extract<Event, { type: "run-start" }>, tally: Tally): void {
  const above = parent === undefined ? undefined : tally.roots.get(tally.callers.get(parent) ?? "");
  tally.roots.set(run!, above ?? run!);
  if (above !== undefined) return;
  const { agent, model, message, process } = data;
  const prompt = message.role === "user" ? textOf(message.content) : "";
  tally.runs.set(run!, {
    run: run!,
    agent,
    model,
    prompt,
    startedAt: at,
    lastAt: at,
    turns: 0,
    cost: 0,
    process,
    queued: false,
  });
}

function toRecord(tally: Tally, atWork: AtWork, now: number): SessionRecord {
  const { session, client, principal, cwd, startedAt, lastAt, events } = tally;
  const runs = Array.from(tally.runs.values(), (run) => toRunRecord(run, tally, atWork, now)).reverse();
  const held = tally.held > 0 && [...tally.processes].some((process) => atWork.isAlive(process));
  const waits = [...tally.asked.values()].some(({ expiresAt }) => expiresAt > now);
  const inUse = held ? "a living process holds it" : waits ? "an approval request waits" : undefined;
  const [last] = runs;
  const status = last && !last.error && !isOver(last.status) ? last.status : held ? "open" : "closed";
  return {
    session,
    client,
    principal,
    cwd,
    startedAt,
    lastAt,
    events,
    runs,
    cost: runs.reduce((sum, { cost }) => sum + cost, 0),
    ...(last && { prompt: last.prompt }),
    status,
    ...(inUse !== undefined && { inUse }),
  };
}

function toRunRecord(tally: RunTally, { session, asked }: Tally, atWork: AtWork, now: number): RunRecord {
  const { end, process, queued, ...told } = tally;
  const isWaiting = queued || [...asked.values()].some(({ root, expiresAt }) => root === tally.run && expiresAt > now);
  const isWorking = process === undefined ? atWork.isRunning?.(tally.run) : atWork.isAlive(process);
  const status = end?.status ?? (!isWorking ? "interrupted" : isWaiting ? "waiting" : "running");
  return {
    ...told,
    session,
    status,
    ...(end && { turns: end.turns, cost: end.cost }),
    ...(end?.error && { error: end.error }),
  };
}

/** Whether a run has come to its end. */
export function isOver(status: RunStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}
