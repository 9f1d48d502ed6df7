import type { Event } from "./event.ts";
import type { TaskOutcome } from "./task-outcome.ts";
import type { TaskMode } from "./task-request.ts";

/** A task as the log tells it. */
export interface TaskRecord extends Partial<Omit<TaskOutcome, "state" | "iterations">> {
  readonly id: string;
  readonly agent: string;
  readonly prompt: string;
  readonly mode: TaskMode;
  readonly state: "pending" | "running" | "evaluating" | TaskOutcome["state"];
  readonly iterations: number;
  /** The run that gave it away, and by which call. */
  readonly parent: string;
  readonly call: string;
  /** What was wrong with each try, and with validators. */
  readonly notes: readonly string[];
}

/** The tasks that the events of a session tell of, in the order in which they were given away. */
export function foldTasks(events: readonly Event[]): readonly TaskRecord[] {
  const tasks = new Map<string, TaskRecord>();
  for (const { type, data, run = "", parent = "" } of events) {
    if (type === "task-start") {
      const { task: id, agent, prompt, mode } = data;
      tasks.set(id, { id, agent, prompt, mode, state: "pending", iterations: 0, parent: run, call: parent, notes: [] });
    }
    if (type !== "task-progress" && type !== "task-end") continue;
    const task = tasks.get(data.task);
    if (!task) continue;
    if (type === "task-end") {
      const { task: id, ...outcome } = data;
      tasks.set(id, { ...task, ...outcome });
    } else {
      const { state, iteration: iterations, note } = data;
      tasks.set(task.id, {
        ...task,
        state,
        iterations,
        notes: note === undefined ? task.notes : [...task.notes, note],
      });
    }
  }
  return [...tasks.values()];
}
