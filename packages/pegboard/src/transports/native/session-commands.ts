import type { SessionRecord } from "../../agents/session-records.ts";
import type { SessionDetails } from "../../agents/sessions.ts";
import { savedSession } from "../saved-session.ts";
import { answerSchema, type CommandContext, type CommandsOf, objectSchema } from "./command.ts";
import type { SessionState } from "./command-types.ts";
import { noSession } from "./no-session.ts";

const STATE = answerSchema({ session: { type: "string" }, open: { type: "boolean" } });

/** What a client does with sessions as a whole. */
export const SESSION_COMMANDS: CommandsOf<
  | "session.create"
  | "session.list"
  | "session.get"
  | "session.info"
  | "session.resume"
  | "session.close"
  | "session.delete"
> = {
  "session.create": {
    description: "Opens a session",
    session: "none",
    params: objectSchema({
      metadata: { type: "object", description: "What tools of this session may read about it" },
      as: { enum: ["model", "user"], description: "Who calls unless a call says otherwise" },
    }),
    result: STATE,
    handle: ({ metadata, as }, { desk, principal }) => {
      const { id } = desk.open(principal, { ...(metadata && { metadata }), ...(as && { as }), endsIdle: true });
      return { session: id, open: true, status: "open", events: 0, runs: [], cost: 0 };
    },
  },
  "session.list": {
    description: "Lists the sessions of whoever asks, the one that was used last first",
    session: "none",
    params: objectSchema(),
    result: answerSchema({ sessions: { type: "array", items: STATE } }),
    handle: async (_, { desk, principal }) => {
      const open = new Set(desk.sessions(principal).map(({ id }) => id));
      const saved = (await desk.runtime.sessions.list()).filter((record) => record.principal === principal.id);
      const unused = [...open].filter((id) => !saved.some(({ session }) => session === id));
      return {
        sessions: [
          ...unused.map((session) => ({ session, open: true })),
          ...saved.map((record) => toState(record, open.has(record.session))),
        ],
      };
    },
  },
  "session.get": {
    description: "Tells how a session stands",
    session: "required",
    params: objectSchema(),
    result: STATE,
    handle: async (_, context) => stateOf(context),
  },
  "session.info": {
    description: "Tells all of a session: its runs, its conversation and the work that its agents gave away",
    session: "required",
    params: objectSchema(),
    result: answerSchema({
      session: { type: "string" },
      open: { type: "boolean" },
      messages: { type: "array", items: { type: "object" } },
      tasks: { type: "array", items: { type: "object" } },
    }),
    handle: async (_, context) => {
      const session = await context.session();
      const saved = await savedOf(context);
      return { ...(await stateOf(context)), messages: saved?.messages ?? [], tasks: await session.tasks() };
    },
  },
  "session.resume": {
    description: "Opens a session of the log again, with its history and what was approved in it",
    session: "required",
    params: objectSchema(),
    result: STATE,
    handle: async (_, context) => {
      await context.session();
      return stateOf(context);
    },
  },
  "session.close": {
    description: "Closes a session; its log stays, and it can be resumed",
    session: "required",
    params: objectSchema(),
    result: answerSchema({ closed: { type: "boolean" } }),
    handle: async (_, context) => {
      const { desk, principal, sessionId } = context;
      await stateOf(context);
      return { closed: await desk.leave(principal, sessionId) };
    },
  },
  "session.delete": {
    description: "Closes a session and takes it out of the log",
    session: "required",
    params: objectSchema(),
    result: answerSchema({ events: { type: "integer" } }),
    handle: async (_, context) => {
      const { desk, principal, sessionId } = context;
      const { events } = await stateOf(context);
      await desk.leave(principal, sessionId);
      return events === undefined ? { events: 0 } : desk.runtime.sessions.delete(sessionId);
    },
  },
};

/** How a session of the principal stands, without opening it. Rejects with `not_found`. */
async function stateOf(context: CommandContext): Promise<SessionState> {
  const { desk, principal, sessionId } = context;
  const open = desk.sessions(principal).some(({ id }) => id === sessionId);
  const saved = await savedOf(context);
  if (saved) return toState(saved, open);
  if (!open) throw noSession(sessionId);
  return { session: sessionId, open };
}

function savedOf({ desk, principal, sessionId }: CommandContext): Promise<SessionDetails | undefined> {
  return savedSession(desk.runtime, principal.id, sessionId);
}

function toState(record: SessionRecord & { readonly messages?: unknown }, open: boolean): SessionState {
  const { principal: _, messages: __, ...state } = record;
  return { ...state, open };
}
