import {
  type ClientCapabilities,
  CLIENT_CAPABILITIES_META_KEY,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { ClientMethod, Json, LogLevel } from "@pegboard/contract";
import { TASKS_EXTENSION } from "../../core/mcp-names.ts";
import type { Attendant } from "./attendant.ts";
import type { CancelSignal } from "./call-signal.ts";
import { createLogger, createReporter, type Report } from "./progress.ts";
import type { McpSeat } from "./seat.ts";

/** A server that knows what its client can do. */
export type Informed = Pick<Server, "getClientCapabilities">;

/** The client that waits for the answer to a request of this name. */
export class RequestAttendant implements Attendant {
  readonly methods: readonly ClientMethod[];
  readonly tasks: boolean;
  readonly #name: string;
  readonly #context: ServerContext;
  readonly #room: McpSeat["room"];
  #report: Attendant["progress"];
  #log: Attendant["log"];

  constructor(name: string, server: Informed, seat: McpSeat, context: ServerContext) {
    const capabilities = capabilitiesOf(server, context);
    this.methods = methodsOf(capabilities);
    this.tasks = seat.era === "modern" && takesTasks(capabilities) && !seat.tasks.isFull;
    this.#name = name;
    this.#context = context;
    this.#room = seat.room;
  }

  get signal(): CancelSignal {
    return this.#context.mcpReq.signal;
  }

  progress(report: Report): void {
    (this.#report ??= createReporter(this.#context, this.#name, this.#room))(report);
  }

  log(level: LogLevel, message: Json): void {
    (this.#log ??= createLogger(this.#context, this.#name, this.#room))(level, message);
  }
}

/** Whether a client can be handed a task. */
export function takesTasks({ extensions }: ClientCapabilities): boolean {
  return (Object(extensions) as Record<string, unknown>)[TASKS_EXTENSION] !== undefined;
}

/** What the client of a request says it can do. */
export function capabilitiesOf(server: Informed, { mcpReq }: ServerContext): ClientCapabilities {
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  return Object(
    envelope ? envelope[CLIENT_CAPABILITIES_META_KEY] : server.getClientCapabilities(),
  ) as ClientCapabilities;
}

const NO_METHODS: readonly ClientMethod[] = [];

function methodsOf({ elicitation, sampling, roots }: ClientCapabilities): readonly ClientMethod[] {
  // A bare declaration means forms.
  const forms = elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
  if (!forms && sampling === undefined && roots === undefined) return NO_METHODS;
  return [
    ...(forms ? (["elicitation/create"] as const) : []),
    ...(sampling !== undefined ? (["sampling/createMessage"] as const) : []),
    ...(roots !== undefined ? (["roots/list"] as const) : []),
  ];
}
