import type { CallClient, ClientMethod, Json, LogLevel } from "@pegboard/contract";
import { cannotComeBack } from "../../core/client-refusal.ts";
import { PegboardError } from "../../core/error.ts";
import type { ClientView, SentError } from "./plugin-protocol.ts";
import { toSentError } from "./sent-value.ts";

/** To the outside: what code says to the client of the request `of`. */
export type ToClient =
  | {
      readonly type: "client-ask";
      readonly id: number;
      readonly of?: number;
      readonly key: string;
      readonly method: ClientMethod;
      readonly params?: Json;
    }
  | { readonly type: "client-log"; readonly of: number; readonly level: LogLevel; readonly message: Json }
  | { readonly type: "client-detach"; readonly of: number };

/** To the inside: what the client answered. */
export interface ToTool {
  readonly type: "client-answer";
  readonly id: number;
  readonly answer?: Json;
  readonly error?: SentError;
}

/** What is told of a client; nothing where there is none. */
export function toClientView(client: CallClient | undefined): { readonly client?: ClientView } {
  return client ? { client: { methods: client.methods, comesBack: client.comesBack } } : {};
}

/** The client as code inside has it; `ask` and `tell` lead outside. */
export function createClient(
  { methods, comesBack }: ClientView,
  ask: CallClient["ask"],
  tell: (said: { type: "client-log"; level: LogLevel; message: Json } | { type: "client-detach" }) => void,
): CallClient {
  return Object.freeze<CallClient>({
    methods,
    comesBack,
    ask,
    log: (level, message) => tell({ type: "client-log", level, message }),
    detach({ required = false } = {}) {
      if (!comesBack && required) throw cannotComeBack();
      if (comesBack) tell({ type: "client-detach" });
      return comesBack;
    },
  });
}

/**
 * Passes on what code said to the client of its call; what was sent is not trusted. Absent is the client of a call that has
 * ended. Never rejects.
 */
export async function answerClient(message: ToClient, client: CallClient | undefined): Promise<ToTool | undefined> {
  try {
    if (message.type === "client-detach") client?.detach();
    else if (message.type === "client-log" && LEVELS.includes(message.level))
      client?.log(message.level, message.message ?? null);
    if (message.type !== "client-ask") return undefined;
    if (!client) throw new PegboardError("cancelled", "The call around this question has ended");
    const answer = await client.ask(String(message.key), message.method, message.params);
    return { type: "client-answer", id: message.id, answer };
  } catch (error) {
    return message.type === "client-ask"
      ? { type: "client-answer", id: message.id, error: toSentError(error) }
      : undefined;
  }
}

const LEVELS: readonly LogLevel[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];
