import type { Approval, CallerKind, ErrorCode, Json, Result } from "@pegboard/contract";
import type { Remember } from "./approval.ts";
import type { Blob } from "./blob.ts";

/** The session whose log tells what was done to the log itself. */
export const LOG_SESSION = "log";

/** What each type of event says, by type. */
export interface EventData {
  /** `process` names the process that holds the session, where there are processes. */
  "session-start": { principal: string; client: string; cwd: string; metadata: Json; process?: string };
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
  };
  "call-progress": { message: string; current?: number; total?: number };
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
  /** Old sessions were taken out of the log; the digest is over the hashes of their records. */
  "log-change": { sessions: number; events: number; before: number; digest: string };
  /** The tools that callers of this session can see are others now. */
  "tools-change": { added: string[]; removed: string[]; changed: { name: string; version?: string; was?: string }[] };
}

export type EventType = keyof EventData;

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
