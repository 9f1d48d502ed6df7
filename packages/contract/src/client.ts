import type { Json } from "./schema.ts";

/** What a client can be asked for: answers of its person, words of its model, its folders. The names are those of MCP. */
export type ClientMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

/** How much a log message matters, from least to most. */
export type LogLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** The client through which a call came. What is asked and answered has the shapes of MCP, so that it crosses without loss. */
export interface CallClient {
  /** What it says it can be asked for. */
  readonly methods: readonly ClientMethod[];
  /**
   * Asks it, and waits for the answer. The key tells the questions of one call apart. Rejects with `unavailable` when it
   * cannot be asked for that, with `cancelled` when the call is.
   */
  ask(key: string, method: ClientMethod, params?: Json): Promise<Json>;
  /** Tells it something that is neither progress nor result; dropped where it does not want to know. */
  log(level: LogLevel, message: Json): void;
  /** Whether it can come back for the result of a call that goes on without it. */
  readonly comesBack: boolean;
  /**
   * Lets it go where it can come back for the result: it is handed a task, and the call goes on. Whether it was let go;
   * with `required`, throws `unavailable` instead of false.
   */
  detach(options?: { readonly required?: boolean }): boolean;
}
