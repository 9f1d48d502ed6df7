import type { CallClient, ClientMethod, Json } from "@pegboard/contract";
import { TASKS_EXTENSION } from "../../core/mcp-names.ts";
import { PegboardError } from "../../core/error.ts";

/** Who waits for an answer of a server, and can be asked back. */
export interface AskContext {
  readonly signal: AbortSignal;
  readonly client?: CallClient;
}

/** What a request carries when it is repeated. */
export interface Answers {
  readonly inputResponses?: Record<string, Json>;
  readonly requestState?: string;
}

interface InputRequired {
  readonly resultType: "input_required";
  readonly inputRequests?: Readonly<Record<string, { readonly method: ClientMethod; readonly params?: Json }>>;
  readonly requestState?: string;
}

const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL = "io.modelcontextprotocol/logLevel";
/** A server that asks without end is not listened to for ever. */
const MOST_ROUNDS = 20;

/**
 * Repeats a request for as long as the server asks something back, which the client of the call answers: it is asked for no
 * more than it can be. Rejects with what a client that cannot be asked rejects with.
 */
export async function askBack<T extends object>(
  client: CallClient | undefined,
  send: (answers: Answers) => Promise<T>,
): Promise<T> {
  let answers: Answers = {};
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const result = await send(answers);
    if (!isInputRequired(result)) return result;
    const { inputRequests = {}, requestState } = result;
    if (!client) throw new PegboardError("unavailable", "The server asks something back, and nobody can be asked");
    const given = await Promise.all(
      Object.entries(inputRequests).map(async ([key, { method, params }]) => [
        key,
        await client.ask(key, method, params),
      ]),
    );
    answers = {
      inputResponses: Object.fromEntries(given) as Record<string, Json>,
      ...(requestState !== undefined && { requestState }),
    };
  }
  throw new PegboardError("tool_error", `The server asked something back ${MOST_ROUNDS} times`);
}

/**
 * What a request of the new era says of the client for whom it is made; in the old one that was said when the connection was
 * made. Of a call a task may be made where its client can come back, or where there is none: then we wait for it ourselves.
 */
export function announce(client: CallClient | undefined, isCall = false): Record<string, unknown> {
  const tasks = isCall && (client === undefined || client.comesBack);
  return {
    [CAPABILITIES]: { ...(client && capabilitiesOf(client)), ...(tasks && { extensions: { [TASKS_EXTENSION]: {} } }) },
    ...(client && { [LOG_LEVEL]: "debug" }),
  };
}

function isInputRequired(result: object): result is InputRequired {
  return (result as Partial<InputRequired>).resultType === "input_required";
}

function capabilitiesOf({ methods }: CallClient): Record<string, object> {
  return {
    ...(methods.includes("elicitation/create") && { elicitation: {} }),
    ...(methods.includes("sampling/createMessage") && { sampling: {} }),
    ...(methods.includes("roots/list") && { roots: {} }),
  };
}
