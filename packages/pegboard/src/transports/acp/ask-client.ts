import type {
  AgentContext,
  ClientRequestMethod,
  ClientRequestParamsByMethod,
  ClientRequestResponsesByMethod,
} from "@agentclientprotocol/sdk";
import { messageOf, PegboardError } from "../../core/error.ts";

/** Asks the client for something, for as long as the answer matters. Rejects with `unavailable` when it gives none. */
export async function askClient<Method extends ClientRequestMethod>(
  client: AgentContext,
  method: Method,
  params: ClientRequestParamsByMethod[Method],
  signal: AbortSignal,
): Promise<ClientRequestResponsesByMethod[Method]> {
  try {
    return await client.request(method, params, { cancellationSignal: signal, stopWaitingOnCancel: true });
  } catch (error) {
    throw clientFailed(method, error);
  }
}

/** What a tool of the client says when the client fails it, or is gone. */
export function clientFailed(what: string, error: unknown): PegboardError {
  return new PegboardError("unavailable", `The client did not answer ${what}: ${messageOf(error)}`, { cause: error });
}
