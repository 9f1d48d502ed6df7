import type { Agent } from "@pegboard/contract";
import type { Budget } from "./budget.ts";
import type { Event } from "./event.ts";
import type { Model, UserPart } from "./model.ts";
import type { RunResult } from "./run-result.ts";

/** How an agent is run. */
export interface RunOptions {
  /** Over the agent's own: `provider:model`, an alias, or a model. */
  readonly model?: string | Model;
  /** The id of a run that is over: this one goes on with its history. Anything else starts clean. */
  readonly continue?: string;
  readonly attachments?: readonly Attachment[];
  /** What the model reads before the prompt. */
  readonly before?: readonly UserPart[];
  /** Can only lower the limits that hold anyway. */
  readonly budget?: Budget;
  /** Can only lower the limits that hold anyway. */
  readonly maxTurns?: number;
  /** Of the tools that the agent has only these: names, globs and `!deny` entries. It brings none that the agent lacks. */
  readonly tools?: readonly string[];
  /** Leaves out of the model's tools those that would be denied anyway, because nobody is there to ask. */
  readonly hideDenied?: boolean;
  readonly signal?: AbortSignal;
}

/** How a run goes on whose process ended. */
export interface ResumeOptions extends Pick<RunOptions, "model" | "signal"> {
  /** The agent itself, of a run that was started with one that is in no catalog. */
  readonly agent?: Agent;
}

/** A file that a run takes along: its bytes in base64, or a path inside the files that the session may read. */
export type Attachment =
  | { readonly name: string; readonly data: string; readonly mimeType?: string }
  | { readonly path: string };

/** One agent at work. Iterating gives the events of the run and of those it started, from now on until it ends. */
export interface Run extends AsyncIterable<Event> {
  readonly id: string;
  readonly agent: string;
  /** Never rejects: failure is a status with an error. */
  readonly result: Promise<RunResult>;
  cancel(): void;
}
