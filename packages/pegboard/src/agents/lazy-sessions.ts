import type { Sessions, SessionsDeps } from "./sessions.ts";

/** The sessions of a log, whose code is loaded when they are first asked for. */
export function lazySessions(deps: SessionsDeps): Sessions {
  const sessions = async () => (await import("./sessions.ts")).createSessions(deps);
  return {
    list: async () => (await sessions()).list(),
    show: async (id) => (await sessions()).show(id),
    runs: async () => (await sessions()).runs(),
    fork: async (session, options) => (await sessions()).fork(session, options),
    inject: async (session, text) => (await sessions()).inject(session, text),
    clear: async (session) => (await sessions()).clear(session),
    delete: async (session) => (await sessions()).delete(session),
    clean: async (options) => (await sessions()).clean(options),
    cancel: async (id, by) => (await sessions()).cancel(id, by),
  };
}
