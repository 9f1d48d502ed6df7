import { createRequestStateCodec, type ServerContext } from "@modelcontextprotocol/server";
import { canonicalJson, sha256 } from "../../core/json.ts";

/** What a client is handed that is to come back, and hands back as it is. */
export interface Handle {
  readonly call: string;
  readonly principal: string;
  /** Of the request that it belongs to. */
  readonly digest: string;
  /** How often the client was asked before: no handle is like the one before. */
  readonly round: number;
  /** What was asked, where it was one approval request and nothing else: another process can take its answer. */
  readonly approval?: string | undefined;
}

/** Makes handles that nobody else can make, and tells whether one was made here, not long ago. */
export interface Seal {
  close(handle: Handle): Promise<string>;
  /** Rejects for anything that `close` did not make. */
  open(text: string): Promise<Handle>;
}

/** A seal with a key, which all processes of a server share; without one, what it sealed is good in this process alone. */
export function createSeal(ttlMs: number, key = crypto.getRandomValues(new Uint8Array(32))): Seal {
  const codec = createRequestStateCodec<Handle>({ key, ttlSeconds: Math.ceil(ttlMs / 1000) });
  return {
    close: (handle) => codec.mint(handle),
    // Bound by what the handle says, not by the context.
    open: (text) => codec.verify(text, undefined as unknown as ServerContext),
  };
}

/** What tells one request from another, whatever the order of its fields. */
export function requestDigest(method: string, name: string, input: unknown): Promise<string> {
  return sha256(canonicalJson([method, name, input]));
}
