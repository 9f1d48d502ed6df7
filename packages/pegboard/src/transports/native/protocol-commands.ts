import { VERSION } from "../../version.ts";
import { answerSchema, type Command, type CommandsOf, objectSchema } from "./command.ts";
import type { Capabilities, CommandType } from "./command-types.ts";
import { EVENT_TYPES } from "./event-types.ts";
import { ROUTES } from "./routes.ts";
import { PROTOCOL } from "./wire.ts";

const FEATURES = ["approvals", "attachments", "background", "cancel", "events", "placeholders", "resume", "streaming"];

/** What a client asks of the server itself. `all` is the whole table. */
export function protocolCommands(
  all: () => Readonly<Record<CommandType, Omit<Command<never>, "handle">>>,
): CommandsOf<"ping" | "capabilities"> {
  return {
    ping: {
      description: "Tells whether anybody is there",
      session: "none",
      params: objectSchema(),
      result: answerSchema({ at: { type: "number" } }),
      handle: () => ({ at: Date.now() }),
    },
    capabilities: {
      description: "Tells what the server can do",
      session: "none",
      params: objectSchema(),
      result: answerSchema({
        protocol: { type: "integer" },
        version: { type: "string" },
        commands: { type: "array", items: { type: "object" } },
        events: { type: "array", items: { type: "string" } },
        features: { type: "array", items: { type: "string" } },
      }),
      handle: () => toCapabilities(all()),
    },
  };
}

function toCapabilities(commands: Readonly<Record<CommandType, Omit<Command<never>, "handle">>>): Capabilities {
  return {
    protocol: PROTOCOL,
    version: VERSION,
    commands: (Object.keys(commands) as CommandType[]).map((type) => {
      const { description, session, streams = false, params } = commands[type];
      return { type, description, session, streams, http: ROUTES[type], params };
    }),
    events: [...EVENT_TYPES, "connected", "pong", "result", "error"],
    features: FEATURES,
  };
}
