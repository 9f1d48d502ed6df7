import type { Event } from "../core/event.ts";
import type { FileVersion } from "../core/vfs.ts";
import type { Store } from "../stores/store.ts";

/** Adds one test, which gets a new store. */
export type Check = (
  sentence: string,
  body: (opened: { readonly store: Store; readonly reopen?: () => Promise<Store> }) => Promise<void>,
) => void;

/** Texts that stores tend to damage. */
export const ODD_TEXTS = ["", "a\0b", "\ud800 alone \udc00", "line\r\nline\u2028", "\u{1f4c4}é", "x".repeat(1_000_000)];

/** An event that names no tool. */
export function start(session: string, seq: number): Event {
  const data = { principal: "p", client: "test", cwd: "/", metadata: {} };
  return { v: 1, seq, at: 1_700_000_000_000 + seq, type: "session-start", session, data };
}

/** An event that names a tool. */
export function callStart(session: string, seq: number, tool: string, input = "x"): Event {
  const data = { tool, input: { text: input }, caller: "model" as const };
  return { v: 1, seq, at: 1_700_000_000_000 + seq, type: "call-start", session, call: `c${seq}`, data };
}

/** A file to write. */
export function file(path: string, text: string): Omit<FileVersion, "version"> {
  return { path, text, at: 1_700_000_000_000, call: "c1" };
}

/** Throws unless both are the same JSON, whatever the order of their keys. */
export function equal(actual: unknown, expected: unknown): void {
  const [is, should] = [canonical(actual), canonical(expected)];
  if (is !== should) throw new Error(`Expected ${should.slice(0, 500)} but got ${is.slice(0, 500)}`);
}

function canonical(value: unknown): string {
  const sorted = (_: string, inner: unknown) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner;
  return JSON.stringify(value, sorted) ?? "undefined";
}

/** Throws unless the work rejects with this code: it must not throw on the spot either. */
export async function rejects(code: "duplicate" | "unavailable", work: () => Promise<unknown> | void): Promise<void> {
  let promise;
  try {
    promise = work();
  } catch (error) {
    throw new Error("A method threw where it should reject", { cause: error });
  }
  const thrown = await Promise.resolve(promise).then(
    () => undefined,
    (error: unknown) => error,
  );
  equal((Object(thrown) as { code?: unknown }).code, code);
}
