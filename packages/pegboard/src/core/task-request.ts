/** Whether whoever gives work away waits for it, or is told its result later. */
export type TaskMode = "wait" | "background";

/** Work that an agent gives away. */
export interface TaskRequest {
  /** Absent is another run of the agent that asks. */
  readonly agent?: string;
  readonly prompt: string;
  readonly mode: TaskMode;
  /** Over the agent's own. */
  readonly model?: string;
  /** Tries again until the result is accepted; absent is one try, whose result is not judged. */
  readonly validation?: TaskValidation;
}

/** How the result of a task is judged. It can only add to what the operator demands, and lower what the operator allows. */
export interface TaskValidation {
  readonly maxIterations?: number;
  /** US dollars after which it is not tried again. */
  readonly maxUsd?: number;
  /** The agent that judges the result. */
  readonly validator?: string;
  /** What the validator goes by. */
  readonly rubric?: string;
}
