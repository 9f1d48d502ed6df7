import type { Json } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import type { Event } from "../../core/event.ts";
import { copyJson } from "../../core/json.ts";
import { nearest } from "../../core/nearest.ts";
import { compileSchema, describeProblems } from "../../core/schema.ts";
import type { Session } from "../../core/session.ts";
import type { Principal } from "../principal.ts";
import type { Command, CommandContext, NativeDeps } from "./command.ts";
import type { CommandType } from "./command-types.ts";
import { COMMANDS, isCommandType } from "./commands.ts";
import { noSession } from "./no-session.ts";
import { namedError } from "./wire.ts";

/** A command as any edge has received it. */
export interface Request {
  readonly type: string;
  readonly session?: string | undefined;
  readonly params?: unknown;
}

/** Who asks, and how they can be told more than the answer. */
export interface Asker extends Pick<CommandContext, "signal" | "cancelCommand"> {
  readonly principal: Principal;
  /** The session that is meant when none is named, where the edge has one. */
  readonly ownSession?: (() => string) | undefined;
}

/** A command that is known to be right, and can be carried out. */
export interface Prepared {
  readonly type: CommandType;
  /** Whether it tells events before its answer. */
  readonly streams: boolean;
  /** Carries it out. Rejects with what went wrong. */
  run(emit?: (event: Event) => Promise<void> | void): Promise<unknown>;
}

/** Checks a command: its type, its parameters and, of one that streams, its session. Rejects with what is wrong. */
export async function prepare(request: Request, asker: Asker, deps: NativeDeps): Promise<Prepared> {
  const { type } = request;
  if (!isCommandType(type)) throw unknownCommand(type);
  const command = COMMANDS[type] as Command<CommandType>;
  const params = await checkParams(type, command, request.params);
  const sessionId = command.session === "none" ? "" : (request.session ?? asker.ownSession?.());
  if (sessionId === undefined)
    throw namedError("SESSION_REQUIRED", "invalid_input", `The command "${type}" needs a session: name one`);
  const { principal, signal, cancelCommand } = asker;
  if (command.streams) await findSession(sessionId, principal, deps);
  const streams = command.streams === true;
  return {
    type,
    streams,
    async run(emit) {
      using _work = command.works && deps.desk.enter(principal);
      using uses = new DisposableStack();
      const session = async () => {
        const found = await findSession(sessionId, principal, deps);
        uses.use(deps.desk.use(found));
        return found;
      };
      const context: CommandContext = {
        ...deps,
        principal,
        sessionId,
        session,
        signal,
        ...(emit && streams && { emit }),
        ...(cancelCommand && { cancelCommand }),
      };
      return await command.handle(params as never, context);
    },
  };
}

async function checkParams(type: CommandType, { params: schema }: Command<CommandType>, given: unknown): Promise<Json> {
  const checked = await compileSchema(schema).check(copyJson(given ?? {}));
  if (checked.ok) return checked.value as Json;
  throw namedError(
    "INVALID_PARAMS",
    "invalid_input",
    `The parameters of "${type}" are not valid:\n${describeProblems(checked.problems)}`,
  );
}

async function findSession(id: string, principal: Principal, { desk }: NativeDeps): Promise<Session> {
  try {
    return await desk.find(principal, id, { endsIdle: true });
  } catch (error) {
    if (error instanceof PegboardError && error.code === "not_found") throw noSession(id);
    throw error;
  }
}

function unknownCommand(type: string): PegboardError {
  const near = nearest(type, Object.keys(COMMANDS));
  const hint = near === undefined ? "capabilities tells which there are" : `did you mean "${near}"?`;
  return namedError(
    "UNKNOWN_COMMAND",
    "not_found",
    `There is no command ${JSON.stringify(type.slice(0, 80))}: ${hint}`,
  );
}
