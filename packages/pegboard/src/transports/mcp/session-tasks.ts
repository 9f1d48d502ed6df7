import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Result } from "@pegboard/contract";
import type { ClientCall } from "./client-call.ts";

/** A call that goes on without its client, who comes back for the result. */
export interface McpTask {
  readonly call: ClientCall<Result>;
  readonly createdAt: Date;
  /** When it was last seen to change. */
  updatedAt: Date;
  /** The result as the client is told it. */
  toAnswer(result: Result): CallToolResult;
}

/** How long a task can be asked about, from its beginning. What is not over then is cancelled. */
export const TASK_TTL_MS = 24 * 60 * 60_000;
/** More than these are not kept at once: further calls are waited for. */
const MOST = 1_000;

/** The tasks of one session. */
export class SessionTasks implements Disposable {
  readonly #tasks = new Map<string, McpTask>();
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();

  /** Whether no more are taken. */
  get isFull(): boolean {
    return this.#tasks.size >= MOST;
  }

  /** Keeps a call until its time is over. */
  keep(call: ClientCall<Result>, toAnswer: McpTask["toAnswer"]): McpTask {
    const now = new Date();
    const task: McpTask = { call, createdAt: now, updatedAt: now, toAnswer };
    this.#tasks.set(call.id, task);
    void call.over.then(() => (task.updatedAt = new Date()));
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#tasks.delete(call.id);
      call.cancel();
    }, TASK_TTL_MS);
    // A result that nobody fetches keeps no process alive.
    (timer as { unref?(): void }).unref?.();
    this.#timers.add(timer);
    return task;
  }

  find(id: string): McpTask | undefined {
    return this.#tasks.get(id);
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer);
    for (const { call } of this.#tasks.values()) call.cancel();
    this.#tasks.clear();
  }
}
