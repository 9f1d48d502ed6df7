import type { SessionDetails } from "../agents/sessions.ts";
import type { Runtime } from "../runtime.ts";

/**
 * What the log has of a session of a principal, or of whoever's it is; undefined for one that it does not know, and for
 * that of another.
 */
export async function savedSession(
  { store, sessions }: Pick<Runtime, "store" | "sessions">,
  principal: string | undefined,
  id: string,
): Promise<SessionDetails | undefined> {
  // Whoever shows a session takes the beginning of an id too, and looks through the whole log for it.
  if ((await store.read({ session: id, last: 1 })).length === 0) return undefined;
  const saved = await sessions.show(id).catch(() => undefined);
  const isTheirs = principal === undefined || saved?.principal === principal;
  return saved?.session === id && isTheirs ? saved : undefined;
}
