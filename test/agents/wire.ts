/** What the scripted model says: something, or that a tool be called. */
export type Turn =
  | { readonly text: string }
  | { readonly id: string; readonly tool: string; readonly input: Readonly<Record<string, unknown>> };

/** How one provider of models is spoken to, as far as agents use it. */
export interface Wire {
  /** Whether requests for this path are its own. */
  serves(path: string): boolean;
  /** The names of the tools in a request. */
  tools(body: Readonly<Record<string, any>>): readonly string[];
  /** A turn as a stream of events. */
  answer(turn: Turn): string;
  /** A turn in one document. */
  whole(turn: Turn): object;
}
