import type { Json } from "@pegboard/contract";
import type { LanguageModelV4StreamPart, LanguageModelV4Usage, SharedV4ProviderMetadata } from "@ai-sdk/provider";
import type { EndReason, ModelPart, Usage } from "../../core/model.ts";
import { parseArguments } from "../arguments.ts";
import { cutOff, type ErrorContext, gaveUp } from "./error.ts";

/** Brings the parts of one stream to ours. */
export interface PartReader {
  /** Our part for one of theirs, or nothing. Throws what an `error` part holds, and when the stream says it was cut off. */
  read(part: LanguageModelV4StreamPart): ModelPart | undefined;
}

/** Makes a reader for one stream. */
export function createPartReader(context: ErrorContext): PartReader {
  const own = new Map<string, SharedV4ProviderMetadata>();
  const note = (id: string, metadata: SharedV4ProviderMetadata | undefined) => void (metadata && own.set(id, metadata));
  return {
    read(part) {
      switch (part.type) {
        case "text-start":
        case "reasoning-start":
          return note(part.id, part.providerMetadata);
        case "text-delta":
        case "reasoning-delta":
          note(part.id, part.providerMetadata);
          if (part.delta === "") return undefined;
          return { type: part.type === "text-delta" ? "text" : "reasoning", text: part.delta };
        case "text-end":
        case "reasoning-end": {
          const meta = part.providerMetadata ?? own.get(part.id);
          return meta && { type: part.type === "text-end" ? "text" : "reasoning", text: "", meta: toMeta(meta) };
        }
        case "tool-call":
          // What the provider runs itself is not ours to run.
          if (part.providerExecuted) return undefined;
          return {
            type: "call",
            id: part.toolCallId,
            tool: part.toolName,
            ...parseArguments(part.input),
            ...(part.providerMetadata && { meta: toMeta(part.providerMetadata) }),
          };
        case "finish":
          return { type: "end", reason: toReason(part.finishReason, context), usage: toUsage(part.usage) };
        case "error":
          throw part.error;
        default:
          return undefined;
      }
    },
  };
}

function toMeta(metadata: SharedV4ProviderMetadata): Json {
  return metadata as Json;
}

const REASONS: Readonly<Record<string, EndReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "filter",
  "tool-calls": "calls",
};

/** Version 2 has a word where later ones have two. */
type FinishReason = string | { readonly unified: string; readonly raw: string | undefined };

function toReason(reason: FinishReason, context: ErrorContext): EndReason {
  const { unified, raw } = typeof reason === "string" ? { unified: reason, raw: reason } : reason;
  const known = REASONS[unified];
  if (known) return known;
  if (unified === "error" && raw !== undefined) throw gaveUp(context, raw);
  // Without a reason of the provider's own, it never said that it was done.
  if (unified === "interrupted" || unified === "unknown" || raw === undefined) throw cutOff(context);
  return "other";
}

/** Version 2 has numbers where later ones have objects. */
interface FlatUsage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

function toUsage(usage: LanguageModelV4Usage | FlatUsage): Usage {
  const { inputTokens: input, outputTokens: output } = usage;
  if (typeof input === "object" && typeof output === "object")
    return counted(input.total, output.total, input.cacheRead, input.cacheWrite, output.reasoning);
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = usage as FlatUsage;
  return counted(inputTokens, outputTokens, cachedInputTokens, undefined, reasoningTokens);
}

function counted(input = 0, output = 0, cached = 0, written = 0, reasoning = 0): Usage {
  return {
    input,
    output,
    ...(cached > 0 && { cached }),
    ...(written > 0 && { written }),
    ...(reasoning > 0 && { reasoning }),
  };
}
