import type { Chat } from "../core/chat.ts";
import type { Session } from "../core/session.ts";
import type { Runtime } from "../runtime.ts";
import { savedSession } from "./saved-session.ts";

/** The conversations of all sessions, by the agent that they are held with. */
export interface Chats {
  /** The conversation of a session with an agent. At first it goes on where the log says that they were. */
  find(session: Session, agent: string): Promise<Chat>;
  /** Begins it anew: with the history of a run, or clean. */
  begin(session: Session, agent: string, before: string | null): Chat;
}

/** Makes the conversations of a runtime's sessions. They go with their sessions. */
export function createChats(runtime: Runtime): Chats {
  const sessions = new WeakMap<Session, Map<string, Promise<Chat>>>();

  const chatsOf = (session: Session): Map<string, Promise<Chat>> => {
    const chats = sessions.get(session) ?? new Map<string, Promise<Chat>>();
    sessions.set(session, chats);
    return chats;
  };

  async function goOn(session: Session, agent: string): Promise<Chat> {
    const saved = await savedSession(runtime, undefined, session.id);
    const last = saved?.runs.find((run) => run.agent === agent && run.status === "completed");
    return session.chat(agent, last && { continue: last.run });
  }

  return {
    find(session, agent) {
      const chats = chatsOf(session);
      const chat = chats.get(agent) ?? goOn(session, agent);
      chats.set(agent, chat);
      return chat;
    },
    begin(session, agent, before) {
      const chat = session.chat(agent, before === null ? {} : { continue: before });
      chatsOf(session).set(agent, Promise.resolve(chat));
      return chat;
    },
  };
}
