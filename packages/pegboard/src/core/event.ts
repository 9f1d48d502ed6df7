import type { Approval, CallerKind, ErrorCode, Json, Result, Verdict } from "@pegboard/contract";
import type { Remember } from "./approval.ts";
import type { Blob } from "./blob.ts";
import type { Budget } from "./budget.ts";
import type { HookPoint } from "./hooks/table.ts";
import type { EndReason, Message, Usage } from "./model.ts";
import type { RunResult } from "./run-result.ts";
import type { TaskOutcome } from "./task-outcome.ts";
import type { TaskMode, TaskValidation } from "./task-request.ts";

/** The session whose log tells what was done to the log itself. */
export const LOG_SESSION = "log";

/** What a model used, and what that cost in US dollars; without a cost when the price of the model is not known. */
export interface Paid {
  readonly usage: Usage;
  readonly cost?: number;
}

/** What each type of event says, by type. */
export interface EventData {
  /** `process` names the process that holds the session, where there are processes. */
  "session-start": {
    principal: string;
    client: string;
    cwd: string;
    metadata: Json;
    /** Who calls unless a call says otherwise; absent is a model. */
    as?: CallerKind;
    process?: string;
  };
  "session-end": { calls: number };
  /** A call arrived. `tool` is the name asked for, whether or not it exists. */
  "call-start": { tool: string; input: Json; caller: CallerKind };
  /** The call may run and is about to: the intent, on record before the effect. `process` names the process that runs it. */
  "execute-start": {
    tool: string;
    version?: string;
    input?: Json;
    decision: Approval;
    by: string;
    rule?: string;
    cached?: boolean;
    process?: string;
    /** The run that called may call it again if its process ends: it only reads, or goes on where it was. */
    again?: true;
  };
  /** A report. `earlier` are those since the last event, in order, and `skipped` how many more there were. */
  "call-progress": ProgressReport & { earlier?: readonly ProgressReport[]; skipped?: number };
  /** The one outcome of a call. */
  "call-end": {
    tool: string;
    ok: boolean;
    ms: number;
    error?: { code: ErrorCode; message: string };
    /** Of a call that policy blocked, with the rule; of all others it stands with the intent. */
    decision?: "blocked";
    rule?: string;
    result: LoggedResult;
    blob?: Blob;
  };
  /** A tool's work ended after its call had been answered; its value was dropped. */
  "execute-end": { tool: string; late: true; ok: boolean; ms: number };
  "approval-request": {
    id: string;
    tool: string;
    input: Json;
    summary: string;
    reason: string;
    /** For what an answer may hold. */
    options: readonly Remember[];
    digest: string;
    expiresAt: number;
    suggestions?: readonly string[];
    scope?: readonly string[];
  };
  "approval-response": {
    id: string;
    decision: "allow" | "deny" | "expired" | "cancelled";
    by: string;
    remember?: Remember;
    note?: string;
  };
  /** The remembered approvals of this session were forgotten. */
  "approvals-change": { forgotten: true };
  /** A prompt brought plugins that wait for their tag, or sent them away. */
  "tags-change": { on: readonly string[]; off: readonly string[] };
  /**
   * An agent begins to work. `parent` of the event is the call that started it, if one did; `process` names the process that
   * it works in, `given` is what was asked for besides.
   */
  "run-start": {
    agent: string;
    model: string;
    message: Message;
    /** What was asked, where hooks made another prompt of it. */
    prompt?: string;
    continues?: string;
    depth: number;
    /** What it works on, of a run that was given work. */
    task?: string;
    process?: string;
    given?: { model?: string; maxTurns?: number; tools?: readonly string[]; hideDenied?: true; budget?: Budget };
    /** The run of another session whose history this one begins with. */
    forked?: { session: string; run: string };
  };
  /** The run goes on in another process than the one that ended under it. */
  "run-progress": { process?: string };
  /** The run waits until fewer are at work: so many waited before it. */
  "run-change": { before: number };
  /** Somebody asks whoever has a run of this session at work to end it. */
  "cancel-request": { run: string; by: string };
  /** The model is asked. `tools` are those it is told of, and the only ones it may call; absent when as before. */
  "turn-start": { turn: number; tools?: readonly string[] };
  /** A piece of an answer as it comes. Only streamed, never stored: its `seq` is 0. */
  "model-delta": { turn: number; text?: string; reasoning?: string };
  /** A try failed and the next one follows; what the failed one streamed does not count, but what it used does. */
  "turn-progress": {
    turn: number;
    retry: number;
    waitMs: number;
    error: { code: ErrorCode; message: string };
  } & Partial<Paid>;
  /** The whole answer; `by` is who gave it in the model's place. */
  "turn-end": { turn: number; message: Message; reason: EndReason; ms: number; by?: string } & Paid;
  /**
   * How the conversation of a run changed, besides answers and the outcomes of calls. `added` is a reminder or the words of
   * a person, or else stands for the outcomes of calls that were not made; `replaced` is what the first messages became;
   * `shortened` is how many characters of each text of a result stayed; `cleared` is that all of it is forgotten. A summary
   * is paid for.
   */
  "transcript-change": {
    added?: Message;
    replaced?: { messages: number; by: Message };
    shortened?: number;
    cleared?: true;
    /** Why a message was added: the agent must do more before its answer counts, or its answer does not fit its schema. */
    why?: "reminder" | "repair";
    /** The task whose outcome is added. */
    task?: string;
    /** The message of another agent that is added. */
    letter?: string;
  } & Partial<Paid>;
  /** Another agent left a message for the run, to be read when its model is asked next. `wakes` is that it must be read. */
  "mailbox-change": { letter: string; text: string; wakes: boolean };
  "run-end": Omit<RunResult, "run" | "session">;
  /** An agent gives work away; `run` of the event is its run, `parent` the call. On record before anything is done. */
  "task-start": {
    task: string;
    agent: string;
    prompt: string;
    mode: TaskMode;
    model?: string;
    validation?: TaskValidation;
  };
  /**
   * It is worked on, or judged. `note` is what was wrong with the try before, or with a validator; `verdict` is what became
   * of the try.
   */
  "task-progress": {
    task: string;
    state: "running" | "evaluating";
    iteration: number;
    note?: string;
    verdict?: Verdict;
  };
  /** The one outcome of a task. */
  "task-end": { task: string } & TaskOutcome;
  /** A hook failed, or let its time pass; nothing is told of others. Without a plugin it is the host's own. */
  "hook-end": {
    hook: HookPoint;
    plugin?: string;
    severity: "warning" | "error";
    error: { code: ErrorCode; message: string };
  };
  /** Old sessions were taken out of the log; the digest is over the hashes of their records. */
  "log-change": { sessions: number; events: number; before: number; digest: string };
  /** The tools that callers of this session can see are others now. */
  "tools-change": { added: string[]; removed: string[]; changed: { name: string; version?: string; was?: string }[] };
}

export type EventType = keyof EventData;

/** How far a call is. */
export interface ProgressReport {
  readonly message: string;
  readonly current?: number;
  readonly total?: number;
}

/** A result as the log keeps it: whole when small, else its size, its digest and its beginning. */
export type LoggedResult =
  | Result
  | { readonly cut: true; readonly characters: number; readonly sha256: string; readonly preview: string };

/** One fact in the log of one session. `seq` starts at 1 and has no gaps. */
export type Event = { [Type in EventType]: EventOf<Type> }[EventType];

/** An event of one type. */
export interface EventOf<Type extends EventType> {
  readonly v: 1;
  readonly seq: number;
  /** Milliseconds since 1970; order is by `seq`, never by this. */
  readonly at: number;
  readonly type: Type;
  readonly session: string;
  readonly run?: string;
  readonly call?: string;
  readonly parent?: string;
  readonly chain?: readonly string[];
  readonly data: EventData[Type];
}
