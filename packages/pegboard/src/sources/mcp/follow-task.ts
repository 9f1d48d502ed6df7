import type { CallClient, ClientMethod, Json } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";

/** What a task is followed with. */
export interface FollowTaskDeps {
  /** Asks the server about the task. Rejects with the errors of the SDK. */
  ask(method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<object>;
  /** Cancels the task. */
  readonly signal: AbortSignal;
  /** Who answers what the task asks. */
  readonly client: CallClient | undefined;
  /** Is told what the task says of itself. */
  progress(message: string): void;
}

/** How a task stands, as its server says. */
interface TaskView {
  readonly taskId?: unknown;
  readonly status?: unknown;
  readonly statusMessage?: unknown;
  readonly pollIntervalMs?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code?: unknown; readonly message?: unknown };
  readonly inputRequests?: Readonly<Record<string, { readonly method: ClientMethod; readonly params?: Json }>>;
}

const SHORTEST_MS = 50;
const LONGEST_MS = 60_000;
const USUAL_MS = 1_000;
/** So many times in a row the server may be out of reach. */
const MOST_MISSES = 5;
const NEVER = new AbortController().signal;

/**
 * Waits for a task that a server has made of a call, and resolves to what it yields. Asks as often as the server wants to be
 * asked. What is no longer waited for is cancelled there.
 */
export async function followTask(created: object, deps: FollowTaskDeps): Promise<object> {
  const { taskId } = created as TaskView;
  if (typeof taskId !== "string") throw new PegboardError("invalid_output", "It began a task without an id");
  const asked = new Questions(taskId, deps);
  let view: TaskView = created;
  let said: unknown;
  try {
    for (;;) {
      if (view.status === "completed") return Object(view.result) as object;
      if (view.status === "failed" || view.status === "cancelled") break;
      if (typeof view.statusMessage === "string" && view.statusMessage !== said)
        deps.progress((said = view.statusMessage));
      asked.take(view.inputRequests ?? {});
      await asked.wait(pauseOf(view));
      view = await look(taskId, deps);
    }
  } catch (error) {
    void deps.ask("tasks/cancel", { taskId }, NEVER).catch(() => {});
    throw error;
  }
  throw toFailure(view);
}

/** The questions of a task, each of which is asked once. */
class Questions {
  readonly #taskId: string;
  readonly #deps: FollowTaskDeps;
  readonly #asked = new Set<string>();
  #news = false;
  #wake: (() => void) | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(taskId: string, deps: FollowTaskDeps) {
    this.#taskId = taskId;
    this.#deps = deps;
  }

  take(requests: NonNullable<TaskView["inputRequests"]>): void {
    for (const [key, { method, params }] of Object.entries(requests)) {
      if (this.#asked.has(key)) continue;
      this.#asked.add(key);
      void this.#answer(key, method, params)
        .catch((error: unknown) => (this.#failure = { error }))
        .then(() => {
          this.#news = true;
          this.#wake?.();
        });
    }
  }

  /** Waits so long, or until something was answered. Rejects when something could not be, or the task is cancelled. */
  async wait(ms: number): Promise<void> {
    const { signal } = this.#deps;
    if (!this.#news && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<unknown>();
      const timer = setTimeout(resolve, ms, undefined);
      signal.addEventListener("abort", resolve);
      this.#wake = () => resolve(undefined);
      await promise;
      clearTimeout(timer);
      signal.removeEventListener("abort", resolve);
    }
    this.#news = false;
    signal.throwIfAborted();
    if (this.#failure) throw this.#failure.error;
  }

  async #answer(key: string, method: ClientMethod, params: Json | undefined): Promise<void> {
    const { client, ask, signal } = this.#deps;
    if (!client) throw new PegboardError("unavailable", "The server asks something back, and nobody can be asked");
    const answer = await client.ask(key, method, params);
    await ask("tasks/update", { taskId: this.#taskId, inputResponses: { [key]: answer } }, signal);
  }
}

/** How a task stands now. A server that is out of reach for a moment is asked again. */
async function look(taskId: string, { ask, signal }: FollowTaskDeps): Promise<TaskView> {
  for (let misses = 1; ; misses++) {
    try {
      return await ask("tasks/get", { taskId }, signal);
    } catch (error) {
      const isRefusal = typeof (Object(error) as { code?: unknown }).code === "number";
      if (signal.aborted || isRefusal || misses >= MOST_MISSES) throw error;
      await new Promise((resolve) => setTimeout(resolve, USUAL_MS));
    }
  }
}

function pauseOf({ pollIntervalMs }: TaskView): number {
  const wanted = typeof pollIntervalMs === "number" && pollIntervalMs >= 0 ? pollIntervalMs : USUAL_MS;
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, wanted));
}

function toFailure({ status, statusMessage, error }: TaskView): PegboardError {
  const said = [error?.message, statusMessage].find((text) => typeof text === "string");
  if (status === "cancelled")
    return new PegboardError("cancelled", (said as string | undefined) ?? "Its task was cancelled");
  const code = typeof error?.code === "number" ? error.code : null;
  return new PegboardError("tool_error", (said as string | undefined) ?? "Its task failed without saying why", {
    details: { mcp: code, task: "failed" },
  });
}
