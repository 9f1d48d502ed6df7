import type { Json, JsonSchema, Result } from "@pegboard/contract";
import type { RunRecord, SessionRecord } from "../../agents/session-records.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../core/approval.ts";
import type { Budget } from "../../core/budget.ts";
import type { EventType } from "../../core/event.ts";
import type { Message } from "../../core/model.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { Attachment } from "../../core/run.ts";
import type { TaskRecord } from "../../core/task-record.ts";
import type { ToolView } from "../../core/tool-view.ts";

type Nothing = Readonly<Record<never, never>>;

/** What each command takes and what it answers, by its type. */
export interface CommandTypes {
  ping: { params: Nothing; result: { at: number } };
  capabilities: { params: Nothing; result: Capabilities };
  "session.create": { params: NewSession; result: SessionState };
  "session.list": { params: Nothing; result: { sessions: readonly SessionState[] } };
  "session.get": { params: Nothing; result: SessionState };
  "session.info": { params: Nothing; result: SessionStory };
  "session.resume": { params: Nothing; result: SessionState };
  "session.close": { params: Nothing; result: { closed: boolean } };
  "session.delete": { params: Nothing; result: { events: number } };
  prompt: { params: Prompt; result: RunResult | StartedRun };
  "run.resume": { params: { run?: string; model?: string }; result: RunResult };
  cancel: { params: { id?: string | number }; result: { cancelled: number; message: string } };
  "approval.list": { params: Nothing; result: { approvals: readonly WaitingApproval[] } };
  "approval.answer": { params: ApprovalAnswer & { approval: string }; result: { answered: true } };
  "tools.list": { params: { as?: CallerChoice }; result: { tools: readonly ToolView[] } };
  "tools.info": { params: { tool: string; as?: CallerChoice }; result: ToolView };
  "tools.call": { params: ToolCall; result: Result };
  "agents.list": { params: Nothing; result: { agents: readonly AgentView[] } };
  "plugins.list": { params: Nothing; result: { plugins: readonly PluginView[] } };
  "runs.list": { params: { session?: string }; result: { runs: readonly RunRecord[] } };
  events: { params: EventRange; result: EventPage };
}

/** The type of a command. */
export type CommandType = keyof CommandTypes;

/** As whom tools are looked at and called. */
export type CallerChoice = "model" | "user";

/** What a server can do. */
export interface Capabilities {
  readonly protocol: number;
  readonly version: string;
  readonly commands: readonly {
    readonly type: CommandType;
    readonly description: string;
    readonly session: SessionUse;
    readonly streams: boolean;
    readonly http: string;
    readonly params: JsonSchema;
  }[];
  readonly events: readonly (EventType | "result" | "pong" | "connected" | "error")[];
  readonly features: readonly string[];
}

/** Whether a command is about a session. */
export type SessionUse = "none" | "required";

/** How a session is opened. */
export interface NewSession {
  readonly metadata?: Readonly<Record<string, Json>>;
  /** Who calls unless a call says otherwise; a model when absent. */
  readonly as?: CallerChoice;
}

/** A session as its owner sees it. One that was not used yet has no record, and so no times. */
export interface SessionState extends Partial<Omit<SessionRecord, "session" | "principal">> {
  readonly session: string;
  /** Whether it is open here. */
  readonly open: boolean;
}

/** A session with its conversation, and the work that its agents gave away. */
export interface SessionStory extends SessionState {
  readonly messages: readonly Message[];
  readonly tasks: readonly TaskRecord[];
}

/** A request that waits for an answer, and where. */
export interface WaitingApproval extends ApprovalRequest {
  readonly session: string;
}

/** What an agent is asked. */
export interface Prompt {
  /** Text, or what the agent's input schema takes. */
  readonly prompt: Json;
  /** `assistant` when absent. */
  readonly agent?: string;
  /** Over the agent's own: `provider:model`, or an alias. */
  readonly model?: string;
  /**
   * The run whose history it goes on with. When absent, that of the last prompt of this session to this agent; with null
   * it starts clean.
   */
  readonly continue?: string | null;
  readonly attachments?: readonly Attachment[];
  readonly maxTurns?: number;
  readonly budget?: Budget;
  /** Answers as soon as the run has begun, which then outlives the connection: `events` tells the rest. */
  readonly background?: boolean;
}

/** A run that goes on by itself. */
export interface StartedRun {
  readonly run: string;
  readonly session: string;
}

/** A call of a tool. */
export interface ToolCall {
  readonly tool: string;
  readonly input?: Json;
  /** Names the call, for `cancel`; a random id when absent. */
  readonly call?: string;
  readonly as?: CallerChoice;
}

/** An agent as lists show it. */
export interface AgentView {
  readonly name: string;
  readonly description: string;
  readonly layer: string;
  readonly plugin?: string;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  /** It belongs to a workspace that nobody has trusted: it is listed, never run. */
  readonly held?: true;
}

/** A plugin, and how it stands. */
export interface PluginView {
  readonly name: string;
  readonly version?: string;
  readonly status: string;
  readonly reason?: string;
}

/** Which events of a session. */
export interface EventRange {
  /** The first sequence number; 1 when absent. */
  readonly from?: number;
  /** Goes on with what comes, until it is cancelled or the session is closed. */
  readonly follow?: boolean;
}

/** Where the next `events` goes on. */
export interface EventPage {
  readonly next: number;
  /** Of a client that takes no stream, the events themselves. */
  readonly events?: readonly unknown[];
}
