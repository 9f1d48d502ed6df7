import type { Json } from "@pegboard/contract";
import type { TransportStage } from "./transport-stage.ts";

/** A client behind a door. What the protocol of the door does not have is left out. */
export interface TransportClient {
  list?(): Promise<readonly { readonly name: string; readonly inputSchema: unknown }[]>;
  /** Calls a tool: a failure is a result. The signal cancels the call, as a client of that protocol does. */
  call?(
    tool: string,
    input: Json,
    options?: { readonly signal?: AbortSignal; readonly onProgress?: (message: string) => void },
  ): Promise<TransportResult>;
  /** Asks the agent `assistant`. Resolves to its answer. */
  prompt?(text: string, options?: { readonly signal?: AbortSignal }): Promise<string>;
  /** Calls the listener when the door says that the tools are others now. */
  onToolsChange?(listener: () => void): Promise<void>;
  /** The sequence numbers of the session's events from one on, as the door tells them to a client that comes back. */
  eventsFrom?(seq: number): Promise<readonly number[]>;
  /** Sends what is no message of the protocol. Resolves once the door has answered that it is wrong. */
  sendNonsense?(): Promise<void>;
  /** Whether all clients of one principal are in one session: the protocol knows none. */
  readonly sharesSession?: boolean;
  close(): Promise<void>;
}

/** What a call came to, as the client was told. */
export interface TransportResult {
  readonly ok: boolean;
  readonly text: string;
  readonly structured?: unknown;
}

/** The person whom a client asks whether a tool may run. */
export type Approve = (tool: string) => Promise<"allow" | "deny">;

/** What one check is made with. */
export interface Scene extends TransportStage {
  /** Connects another client; whoever it asks allows everything when absent. */
  connect(approve?: Approve): Promise<TransportClient>;
}

/** Adds one test, which gets a new stage. */
export type SceneCheck = (sentence: string, body: (scene: Scene) => Promise<void>) => void;

/** Calls a tool, or has the agent call it. */
export async function use(client: TransportClient, tool: string, input: Json): Promise<TransportResult> {
  if (client.call) return client.call(tool, input);
  if (client.prompt) return { ok: true, text: await client.prompt(`call ${tool} ${JSON.stringify(input)}`) };
  throw new Error("A client must have call or prompt");
}

/** Throws unless a text has this part. */
export function has(text: string, part: string): void {
  if (!text.includes(part))
    throw new Error(`Expected ${JSON.stringify(part)} in ${JSON.stringify(text.slice(0, 500))}`);
}

const PATIENCE_MS = 10_000;

/** Waits until something has happened. Throws when it does not. */
export async function until(what: string, fits: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!fits()) {
    if (Date.now() > end) throw new Error(`It did not happen that ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
