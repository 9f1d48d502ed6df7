import type { CallClient } from "./client.ts";
import type { Content } from "./result.ts";

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: "user" | "assistant";
  readonly content: Content;
}

/** Something that is to be filled in when a prompt is called up. */
export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

/**
 * A prompt that code makes when a client calls it up, with named arguments and any content. A text with places to fill in
 * is a `Command`.
 */
export interface Prompt {
  readonly name: string;
  readonly description: string;
  readonly arguments?: readonly PromptArgument[];
  /** A text is one message of the user. */
  get(
    given: Readonly<Record<string, string>>,
    context: { readonly signal: AbortSignal; readonly client?: CallClient },
  ): string | readonly PromptMessage[] | Promise<string | readonly PromptMessage[]>;
  /** What an argument could be that begins so. */
  complete?(argument: string, value: string): readonly string[] | Promise<readonly string[]>;
}
