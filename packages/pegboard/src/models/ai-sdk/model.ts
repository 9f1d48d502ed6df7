import type {
  LanguageModelV2,
  LanguageModelV3,
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { PegboardError } from "../../core/error.ts";
import type { Model, ModelPart, ModelRequest } from "../../core/model.ts";
import { cutOff, type ErrorContext, toModelError } from "./error.ts";
import { createPartReader } from "./parts.ts";
import { createPromptWriter, type PromptWriter, type Version } from "./prompt.ts";

/** A language model of the AI SDK, of any version of its specification since the second. */
export type AiSdkModel = LanguageModelV4 | LanguageModelV3 | LanguageModelV2;

/** How a language model of the AI SDK is used. */
export interface AiSdkModelOptions extends Partial<ErrorContext> {
  /** Whether it can bind an answer to a JSON Schema; true by default. */
  readonly structured?: boolean;
  readonly contextTokens?: number;
  /** Where files of tool results go: into the result (by default), or into a message after it. */
  readonly resultFiles?: "inside" | "after";
  /** What is sent besides, in the provider's own words. */
  providerOptions?(request: ModelRequest): SharedV4ProviderOptions;
}

/** Brings a language model of the AI SDK to the port. Throws `invalid_definition` for what is none. */
export function fromAiSdkModel(model: AiSdkModel, options: AiSdkModelOptions = {}): Model {
  const version = versionOf(model);
  const id = options.id ?? `${model.provider.split(".")[0]}:${model.modelId}`;
  const context: ErrorContext = { ...options, id };
  const { structured = true, contextTokens, resultFiles = "inside" } = options;
  const writer = createPromptWriter({ version, resultFiles });
  const call = (request: ModelRequest, signal: AbortSignal): LanguageModelV4CallOptions => ({
    ...toCall(request, writer),
    ...(request.reasoningEffort && version === "v4" && { reasoning: request.reasoningEffort }),
    ...(request.output && structured && { responseFormat: { type: "json", name: "answer", schema: request.output } }),
    ...(options.providerOptions && { providerOptions: options.providerOptions(request) }),
    abortSignal: signal,
  });
  return {
    id,
    structured,
    ...(contextTokens !== undefined && { contextTokens }),
    // What the versions differ in is seen to by the writer and the reader.
    stream: (request, signal) =>
      read(() => (model as LanguageModelV4).doStream(call(request, signal)), context, signal),
  };
}

function versionOf(model: AiSdkModel): Version {
  const { specificationVersion: version, doStream } = Object(model) as Partial<AiSdkModel>;
  if ((version === "v2" || version === "v3" || version === "v4") && typeof doStream === "function") return version;
  const found = typeof model === "string" ? `the text "${String(model)}"` : `specification ${String(version)}`;
  throw new PegboardError(
    "invalid_definition",
    `This is no language model of the AI SDK of version 5 or later (${found}): pass what a provider returns, such as google("gemini-2.5-flash")`,
  );
}

function toCall(request: ModelRequest, writer: PromptWriter): LanguageModelV4CallOptions {
  const { tools, temperature } = request;
  return {
    prompt: writer.toPrompt(request),
    ...(tools.length > 0 && { tools: writer.toTools(tools), toolChoice: { type: "auto" } }),
    ...(temperature !== undefined && { temperature }),
  };
}

async function* read(
  start: () => ReturnType<LanguageModelV4["doStream"]>,
  context: ErrorContext,
  signal: AbortSignal,
): AsyncGenerator<ModelPart> {
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  // A stream that does not heed the signal would be read on for ever.
  const stop = () => void reader?.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop);
  try {
    if (signal.aborted) throw signal.reason;
    reader = (await start()).stream.getReader();
    const parts = createPartReader(context);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) throw cutOff(context);
      const part = parts.read(value);
      if (!part) continue;
      yield part;
      if (part.type === "end") return;
    }
  } catch (error) {
    throw signal.aborted ? toCancelled(signal.reason, context) : toModelError(error, context, reader !== undefined);
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

function toCancelled(reason: unknown, { id }: ErrorContext): PegboardError {
  if (reason instanceof PegboardError) return reason;
  return new PegboardError("cancelled", `The request to ${id} was cancelled`, { cause: reason });
}
