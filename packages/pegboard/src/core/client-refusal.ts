import type { ClientMethod, Json } from "@pegboard/contract";
import { PegboardError } from "./error.ts";
import { TASKS_EXTENSION } from "./mcp-names.ts";

/** What a client must announce before it can be asked. */
const CAPABILITIES: Readonly<Record<ClientMethod, Json>> = {
  "elicitation/create": { elicitation: {} },
  "sampling/createMessage": { sampling: {} },
  "roots/list": { roots: {} },
};

/** The error of a client that was asked for what it cannot do; it tells what it would have to announce. */
export function cannotBeAsked(method: ClientMethod): PegboardError {
  return missing(`The client cannot be asked for ${method}`, CAPABILITIES[method]);
}

/** The error of a client that would have to come back for its result, and cannot. */
export function cannotComeBack(): PegboardError {
  const message = "This takes long: it needs a client that can come back for its result";
  return missing(message, { extensions: { [TASKS_EXTENSION]: {} } });
}

function missing(message: string, requiredCapabilities: Json = {}): PegboardError {
  return new PegboardError("unavailable", message, { details: { requiredCapabilities } });
}
