/** What a fake provider answers, in words that every wire format has. */
export interface Answer {
  readonly text?: string;
  readonly reasoning?: string;
  /** What the provider signs its reasoning or its call with. */
  readonly signature?: string;
  readonly calls?: readonly { readonly id: string; readonly tool: string; readonly arguments: string }[];
  readonly length?: boolean;
  readonly usage?: { input: number; output: number; cached?: number; written?: number; reasoning?: number };
  /** The answer lacks its last event: the connection breaks, it ends as if nothing were missing, or nothing more comes. */
  readonly cut?: "socket" | "clean" | "never";
  /** One event is not JSON. */
  readonly garbled?: boolean;
  /** An event in place of the last ones, as it is on the wire. */
  readonly instead?: unknown;
  /** Nothing is answered. */
  readonly hang?: boolean;
  /** A failure, in place of all of the above. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An answer as events of a stream: what comes first, and what tells that it is complete. */
export interface Events {
  readonly events: readonly string[];
  readonly last: readonly string[];
}

/** A text in two pieces, as streams have them. */
export function piecesOf(text: string): readonly string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== "");
}

/** An event without a name. */
export function data(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`;
}

/** An event with the name that its `type` says. */
export function named(value: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${value.type}\n${data(value)}`;
}
