import type { TaskMode } from "../core/task-request.ts";
import { Mailbox } from "./mailbox.ts";

/** Work that a run gave away and that is not done. */
export interface OpenTask {
  readonly id: string;
  readonly mode: TaskMode;
  /** Resolves when it is over and on record. Never rejects. */
  readonly done: Promise<unknown>;
  cancel(): void;
}

/** What a run gave away, and what it hears of it. */
export class GivenWork {
  readonly mailbox = new Mailbox();
  #tasks: readonly OpenTask[] = [];
  // Made with the first call: thousands of runs may wait for their first answer.
  #calls: Map<string, (() => void)[]> | undefined;

  /** Whether the run is not over although it has answered: work goes on that it will be told of, or that it was told of. */
  get isOpen(): boolean {
    return this.mailbox.urgent || this.tasks.some(({ mode }) => mode === "background");
  }

  get tasks(): readonly OpenTask[] {
    return this.#tasks;
  }

  add(task: OpenTask): void {
    this.#tasks = [...this.#tasks, task];
  }

  remove(id: string): void {
    this.#tasks = this.#tasks.filter((task) => task.id !== id);
  }

  /** Makes a call of the run, and then begins what it asked for. */
  async during<T>(call: string, make: () => Promise<T>): Promise<T> {
    const begins: (() => void)[] = [];
    const calls = (this.#calls ??= new Map<string, (() => void)[]>());
    calls.set(call, begins);
    try {
      return await make();
    } finally {
      calls.delete(call);
      for (const begin of begins) begin();
    }
  }

  /** Begins something when this call has been answered; at once when it is none of the run's own. */
  after(call: string, begin: () => void): void {
    const begins = this.#calls?.get(call);
    if (begins) begins.push(begin);
    else begin();
  }
}
