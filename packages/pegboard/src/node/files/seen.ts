import { hash } from "node:crypto";

const MAX_SESSIONS = 200;
const MAX_FILES = 2_000;

/** What each session last saw of which file. The oldest is forgotten first; what is forgotten counts as never seen. */
export class Seen {
  readonly #sessions = new Map<string, Map<string, string>>();

  /** Remembers what a session has read or written. */
  note(session: string, real: string, bytes: Uint8Array): void {
    const files = this.#sessions.get(session) ?? new Map<string, string>();
    put(this.#sessions, session, files, MAX_SESSIONS);
    put(files, real, digestOf(bytes), MAX_FILES);
  }

  /** Whether a session saw something else of a file than these bytes. */
  isStale(session: string, real: string, bytes: Uint8Array): boolean {
    const known = this.#sessions.get(session)?.get(real);
    return known !== undefined && known !== digestOf(bytes);
  }

  forget(session: string, real: string): void {
    this.#sessions.get(session)?.delete(real);
  }
}

function digestOf(bytes: Uint8Array): string {
  return hash("sha256", bytes, "base64");
}

function put<Value>(map: Map<string, Value>, key: string, value: Value, most: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size > most) map.delete(map.keys().next().value!);
}
