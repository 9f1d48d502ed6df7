import type { JsonSchema } from "@pegboard/contract";
import type { Event } from "../../core/event.ts";
import type { Session } from "../../core/session.ts";
import type { Desk } from "../desk.ts";
import type { Principal } from "../principal.ts";
import type { Chats } from "../chats.ts";
import type { CommandType, CommandTypes, PluginView, SessionUse } from "./command-types.ts";

/** What every command may use. */
export interface NativeDeps {
  readonly desk: Desk;
  readonly chats: Chats;
  plugins(): readonly PluginView[];
}

/** What one command is carried out with. */
export interface CommandContext extends NativeDeps {
  readonly principal: Principal;
  /** The id of the session that it is about. */
  readonly sessionId: string;
  /** The session itself, open. Rejects with `not_found` for one that is not the principal's. */
  session(): Promise<Session>;
  /** Fires when whoever asked has left, or cancelled it. */
  readonly signal: AbortSignal;
  /** Tells an event of the log; absent for those who want the answer alone. Waits for readers that are slow. */
  readonly emit?: (event: Event) => Promise<void> | void;
  /** Ends another command of the same connection. Whether there was one. */
  readonly cancelCommand?: (id: string | number) => boolean;
}

/** One command of the protocol: everything that any edge needs to know of it. */
export interface Command<Type extends CommandType> {
  readonly description: string;
  /** Whether it is about a session. */
  readonly session: SessionUse;
  /** Whether it tells events before its answer. */
  readonly streams?: true;
  /** Whether it counts as work of the principal. */
  readonly works?: true;
  readonly params: JsonSchema;
  readonly result: JsonSchema;
  /** Carries it out. What it throws is the answer, as an error. */
  handle(
    params: CommandTypes[Type]["params"],
    context: CommandContext,
  ): Promise<CommandTypes[Type]["result"]> | CommandTypes[Type]["result"];
}

/** Some of the commands, by their types. */
export type CommandsOf<Types extends CommandType> = { readonly [Type in Types]: Command<Type> };

/** The schema of an object with these properties and no others, of which those are required. */
export function objectSchema(
  properties: Readonly<Record<string, JsonSchema>> = {},
  required: string[] = [],
): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The schema of an answer with at least these properties. */
export function answerSchema(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: "object", properties, required: Object.keys(properties) };
}
