import type { Content, Json, JsonSchema, ReasoningEffort } from "@pegboard/contract";

/** Something that answers: one request is one turn. */
export interface Model {
  /** `provider:model`, as prices, rules and messages name it. */
  readonly id: string;
  /** Whether `output` of a request binds its answer; else the kernel asks for JSON in words. */
  readonly structured?: boolean;
  /** How many tokens a request may hold, where that is known. */
  readonly contextTokens?: number;
  /**
   * One turn. The last part is `end`: a stream that ends without it was cut off. Throws a `PegboardError`: retryable when
   * trying again can help, with `details.retryAfterMs` when the provider says when.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
}

/** What a model is asked. Plain JSON all over, so that it can be kept. */
export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  readonly temperature?: number;
  readonly reasoningEffort?: ReasoningEffort;
  /** The answer must be JSON of this schema. */
  readonly output?: JsonSchema;
}

/** A tool as a model is told of it. */
export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
}

/** One message of a conversation. Every `call` of an assistant is answered in the tool message that follows. */
export type Message =
  | { readonly role: "user"; readonly content: readonly UserPart[] }
  | { readonly role: "assistant"; readonly content: readonly AssistantPart[] }
  | { readonly role: "tool"; readonly results: readonly ToolOutcome[] };

export type UserPart =
  | { readonly type: "text"; readonly text: string }
  /** `data` is base64. */
  | { readonly type: "file"; readonly mimeType: string; readonly data: string; readonly name?: string };

/** `meta` is the provider's own and goes back to it as it came. */
export type AssistantPart =
  | { readonly type: "text"; readonly text: string; readonly meta?: Json }
  | { readonly type: "reasoning"; readonly text: string; readonly meta?: Json }
  | ModelCall;

/** A call that a model asks for. `problem` says why its arguments could not be read; then `input` is their text. */
export interface ModelCall {
  readonly type: "call";
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly problem?: string;
  readonly meta?: Json;
}

/** What became of a call, as the model reads it. */
export interface ToolOutcome {
  readonly call: string;
  readonly tool: string;
  readonly ok: boolean;
  readonly content: readonly Content[];
}

/**
 * What a turn yields, piece by piece: texts are pieces to be joined, and one with `meta` is the last of its part;
 * everything else comes whole.
 */
export type ModelPart =
  | { readonly type: "text"; readonly text: string; readonly meta?: Json }
  | { readonly type: "reasoning"; readonly text: string; readonly meta?: Json }
  | ModelCall
  | { readonly type: "end"; readonly reason: EndReason; readonly usage: Usage };

export type EndReason = "stop" | "calls" | "length" | "filter" | "other";

/**
 * Tokens. `cached` are those of `input` that were read from a cache, `written` those that were put into one, `reasoning`
 * those of `output` that were thought.
 */
export interface Usage {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
  readonly written?: number;
  readonly reasoning?: number;
}

/** Where models come from. */
export interface Models {
  /**
   * The model of this name: `provider:model` or an alias. Rejects with `invalid_config` when there is none, its key is
   * missing or its name is not one, saying what would help.
   */
  resolve(name: string): Promise<Model>;
  /** What the tokens of a turn cost in US dollars; undefined when the price of the model is not known. */
  cost(model: string, usage: Usage): number | undefined;
}
