import type { Price } from "./price.ts";

/** What is known of a model: its price as published in November 2026, and how many tokens a request may hold. */
export interface KnownModel extends Price {
  readonly context?: number;
}

const GEMINI = 1_048_576;
const CLAUDE = 200_000;
const MILLION = 1_000_000;

/** Well-known models. One that is missing here has no price until the operator gives it one. */
export const KNOWN_MODELS: Readonly<Record<string, KnownModel>> = {
  "google:gemini-2.0-flash": { input: 0.1, output: 0.4, cached: 0.025, context: GEMINI },
  "google:gemini-2.5-flash": { input: 0.3, output: 2.5, cached: 0.03, context: GEMINI },
  "google:gemini-2.5-flash-lite": { input: 0.1, output: 0.4, cached: 0.01, context: GEMINI },
  "google:gemini-2.5-pro": {
    input: 1.25,
    output: 10,
    cached: 0.125,
    context: GEMINI,
    over: { tokens: 200_000, input: 2.5, output: 15, cached: 0.25 },
  },
  "google:gemini-3-flash": { input: 0.5, output: 3, cached: 0.05, context: GEMINI },
  "google:gemini-3-pro": {
    input: 2,
    output: 12,
    cached: 0.2,
    context: GEMINI,
    over: { tokens: 200_000, input: 4, output: 18, cached: 0.4 },
  },
  "google:gemini-3.1-flash-lite": { input: 0.25, output: 1.5, context: GEMINI },
  "google:gemini-3.1-pro": {
    input: 2,
    output: 12,
    cached: 0.2,
    context: GEMINI,
    over: { tokens: 200_000, input: 4, output: 18, cached: 0.4 },
  },
  "google:gemini-3.5-flash": { input: 1.5, output: 9, cached: 0.15, context: GEMINI },

  "anthropic:claude-3-5-haiku": { input: 0.8, output: 4, cached: 0.08, written: 1, context: CLAUDE },
  "anthropic:claude-haiku-4-5": { input: 1, output: 5, cached: 0.1, written: 1.25, context: CLAUDE },
  "anthropic:claude-sonnet-4": { input: 3, output: 15, cached: 0.3, written: 3.75, context: CLAUDE },
  "anthropic:claude-sonnet-4-5": { input: 3, output: 15, cached: 0.3, written: 3.75, context: CLAUDE },
  "anthropic:claude-sonnet-4-6": { input: 3, output: 15, cached: 0.3, written: 3.75 },
  "anthropic:claude-sonnet-5": { input: 2, output: 10, cached: 0.2, written: 2.5, context: MILLION },
  "anthropic:claude-sonnet-5-5": { input: 2, output: 10, cached: 0.2, written: 2.5, context: MILLION },
  "anthropic:claude-opus-4": { input: 15, output: 75, cached: 1.5, written: 18.75, context: CLAUDE },
  "anthropic:claude-opus-4-1": { input: 15, output: 75, cached: 1.5, written: 18.75, context: CLAUDE },
  "anthropic:claude-opus-4-5": { input: 5, output: 25, cached: 0.5, written: 6.25, context: CLAUDE },
  "anthropic:claude-opus-4-6": { input: 5, output: 25, cached: 0.5, written: 6.25 },
  "anthropic:claude-opus-4-7": { input: 5, output: 25, cached: 0.5, written: 6.25 },
  "anthropic:claude-opus-4-8": { input: 5, output: 25, cached: 0.5, written: 6.25 },
  "anthropic:claude-opus-5": { input: 5, output: 25, cached: 0.5, written: 6.25, context: MILLION },
  "anthropic:claude-opus-5-5": { input: 4, output: 20, cached: 0.2, written: 5, context: MILLION },
  "anthropic:claude-fable-5": { input: 10, output: 50, cached: 1, written: 12.5, context: MILLION },
  "anthropic:claude-fable-5-1": { input: 10, output: 50, cached: 0.25, written: 12.5, context: MILLION },

  "openai:gpt-4o": { input: 2.5, output: 10, cached: 1.25, context: 128_000 },
  "openai:gpt-4o-mini": { input: 0.15, output: 0.6, cached: 0.075, context: 128_000 },
  "openai:gpt-4.1": { input: 2, output: 8, cached: 0.5, context: 1_047_576 },
  "openai:gpt-4.1-mini": { input: 0.4, output: 1.6, cached: 0.1, context: 1_047_576 },
  "openai:gpt-4.1-nano": { input: 0.1, output: 0.4, cached: 0.025, context: 1_047_576 },
  "openai:o3": { input: 2, output: 8, cached: 0.5, context: 200_000 },
  "openai:o4-mini": { input: 1.1, output: 4.4, cached: 0.275, context: 200_000 },
  "openai:gpt-5": { input: 1.25, output: 10, cached: 0.125, context: 400_000 },
  "openai:gpt-5-mini": { input: 0.25, output: 2, cached: 0.025, context: 400_000 },
  "openai:gpt-5-nano": { input: 0.05, output: 0.4, cached: 0.005, context: 400_000 },
  "openai:gpt-5.1": { input: 1.25, output: 10, cached: 0.125, context: 400_000 },
  "openai:gpt-5.2": { input: 1.75, output: 14, cached: 0.175, context: 400_000 },
  "openai:gpt-5.4": {
    input: 2.5,
    output: 15,
    cached: 0.25,
    over: { tokens: 272_000, input: 5, output: 22.5, cached: 0.5 },
  },
  "openai:gpt-5.4-mini": { input: 0.75, output: 4.5, cached: 0.075 },
  "openai:gpt-5.4-nano": { input: 0.2, output: 1.25, cached: 0.02 },
  "openai:gpt-5.5": {
    input: 5,
    output: 30,
    cached: 0.5,
    over: { tokens: 272_000, input: 10, output: 45, cached: 1 },
  },
};
