import type { ErrorCode } from "./error.ts";
import type { Result } from "./result.ts";
import type { Json } from "./schema.ts";

/** One call, as hooks see it. The input is a copy: changing it changes nothing. */
export interface CallView {
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly session: string;
  readonly agent?: string;
}

/** What a gate before a call decides. Nothing at all lets the call pass. */
export type GateAnswer =
  | { readonly action: "continue" }
  | { readonly action: "deny"; readonly reason: string }
  | { readonly action: "ask"; readonly reason?: string }
  /** The model reads this text with the result. */
  | { readonly action: "inject"; readonly text: string }
  | { readonly action: "modify"; readonly input: Json };

/** One agent at work, as hooks see it. */
export interface RunView {
  readonly id: string;
  readonly agent: string;
  readonly session: string;
  /** The run that started it; absent where no agent did. */
  readonly parent?: string;
  /** The task that it works on. */
  readonly task?: string;
}

/** One question to a model, as hooks see it. */
export interface TurnView extends RunView {
  /** From 1 on. */
  readonly turn: number;
  readonly model: string;
  /** The words of the newest message that the model is about to read. */
  readonly text: string;
}

/** What a gate before a turn decides. Nothing at all lets the model be asked. */
export type TurnAnswer =
  | { readonly action: "continue" }
  | { readonly action: "deny"; readonly reason: string }
  /** The model reads this text too. */
  | { readonly action: "inject"; readonly text: string };

/** What an agent answered, and what that took. */
export interface RunAnswer {
  readonly text: string;
  /** Absent when no model was asked. */
  readonly model?: string;
  readonly turns: number;
  readonly calls: number;
  /** Tokens of the run and of all that it started. */
  readonly usage: { readonly input: number; readonly output: number };
  /** US dollars, likewise. */
  readonly cost: number;
  readonly ms: number;
}

/** How a run ended. */
export interface RunOutcome extends RunAnswer {
  readonly status: "completed" | "failed" | "cancelled";
  readonly error?: { readonly code: ErrorCode; readonly message: string };
}

/** A piece of work that an agent gave away, as hooks see it. */
export interface TaskView {
  readonly id: string;
  readonly agent: string;
  readonly prompt: string;
  readonly session: string;
  /** The run that gave it away. */
  readonly parent: string;
}

/** What a validator says of a result. */
export type Verdict = { readonly accepted: true } | { readonly accepted: false; readonly feedback: string };

/** What a hook returns: now, or later. */
type Returned<Value> = Value | void | Promise<Value | void>;

/** What a hook returns that only listens. */
type Heard = void | Promise<void>;

/**
 * The points at which a plugin or the host takes part, in runs that agents start too. Each is of one kind:
 *
 * - *gate*: one after another. `deny` ends it, and all else counts together: what is modified is asked about, and injected
 *   texts are read. A throw, a timeout or an answer that is none denies.
 * - *chain*: one after another; each is handed what the one before left. One that fails changes nothing.
 * - *answer*: one after another, until one answers. One that fails has not answered.
 * - *validate*: one after another; all must accept.
 * - *observe*: all at once. One that fails changes nothing, and the others hear all the same.
 *
 * What fails is in the log with the plugin and the point.
 */
export interface Hooks {
  /** Which of several come first: those with less, and in the order of registration where it is equal. Absent is 0. */
  readonly priority?: number;
  /** Gate. A `modify` is checked again. */
  beforeCall?(call: CallView): Returned<GateAnswer>;
  /** Chain: the result of a call that was made. */
  afterCall?(call: CallView, result: Result): Returned<Result>;
  /** Observe: an agent is about to work. */
  runStarted?(run: RunView): Heard;
  /** Observe: what it is asked. */
  message?(run: RunView, message: { readonly role: "user"; readonly text: string }): Heard;
  /** Answer: a text is the answer of the run, and no model is asked. */
  answerPrompt?(run: RunView, prompt: string): Returned<string>;
  /** Chain: the prompt that the model reads. */
  changePrompt?(run: RunView, prompt: string): Returned<string>;
  /** Gate: the model is about to be asked. */
  beforeTurn?(turn: TurnView): Returned<TurnAnswer>;
  /** Chain: the text of the answer. One that does not fit the agent's output schema does not count. */
  changeAnswer?(run: RunView, answer: RunAnswer): Returned<string>;
  /** Observe: the run is over, and about to be put on record. Of every run that `runStarted` was told of. */
  runEnded?(run: RunView, outcome: RunOutcome): Heard;
  /** Observe: a task is on record and about to run for the first time. */
  taskCreated?(task: TaskView): Heard;
  /**
   * Validate. Nothing at all accepts, and a throw rejects with its message. Of a text, the last line `VERDICT: accept` or
   * `VERDICT: reject` counts, with what follows `FEEDBACK:`; one without is a failure.
   */
  validateTask?(task: TaskView, result: string): Returned<Verdict | string>;
  /** Observe: a task failed for good. */
  taskFailed?(task: TaskView, reason: string): Heard;
  /** Observe: a plugin tells all others something. */
  broadcast?(topic: string, data: Json): Heard;
  /** Observe: the settings of this plugin are others now. */
  settingsChanged?(settings: Json): Heard;
}

/** The hooks as plugins of hosts with threads write them; a thread is a session. They are taken as they are. */
export interface ThreadHooks {
  onPipelineStart?(threadId: string, meta: { readonly traceId: string }): Heard;
  onMessage?(threadId: string, role: string, content: string): Heard;
  /** Answers in the model's place when `handled`. */
  onIntentClassify?(
    threadId: string,
    content: string,
  ): Returned<{ readonly handled: boolean; readonly response?: string }>;
  /** Returns the prompt that takes the place of this one. */
  onBeforeInvoke?(threadId: string, prompt: string): Returned<string>;
  onAfterInvoke?(threadId: string, result: ThreadResult): Heard;
  onPipelineComplete?(threadId: string, result: { readonly invokeResult: ThreadResult }): Heard;
  onTaskCreate?(threadId: string, taskId: string): Heard;
  /** A throw rejects with its message. */
  onTaskComplete?(threadId: string, taskId: string, result: string): Returned<Verdict | string>;
  onTaskFailed?(threadId: string, taskId: string, error: Error): Heard;
  onBroadcast?(event: string, data: Json): Heard;
  onSettingsChange?(pluginName: string): Heard;
}

/** What came of asking an agent, as `ThreadHooks` see it. */
export interface ThreadResult {
  readonly output: string;
  readonly durationMs: number;
  /** 0 for an answer, 1 for a run that failed or was cancelled. */
  readonly exitCode: number;
  readonly error?: string;
  readonly model?: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}
