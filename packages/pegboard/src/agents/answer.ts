import type { Json, JsonSchema } from "@pegboard/contract";
import { messageOf, PegboardError } from "../core/error.ts";
import { copyJson } from "../core/json.ts";
import { compileSchema, describeProblems } from "../core/schema.ts";

/** An answer that had to be JSON: its value, or what is wrong with it, in words for the model. */
export type Answer = { readonly value: Json } | { readonly problem: string };

/**
 * Reads an answer that must be JSON of a schema: the whole answer, but for one code fence around all of it, as many models
 * write one. Where the schema takes texts only, an answer that is no JSON is the text itself.
 */
export async function readAnswer(text: string, schema: JsonSchema): Promise<Answer> {
  const compiled = compileSchema(schema);
  const parsed = parse(text);
  const checked = "value" in parsed ? await compiled.check(parsed.value) : undefined;
  if (checked?.ok) return { value: checked.value as Json };
  if (takesText(schema)) {
    const plain = await compiled.check(text.trim());
    if (plain.ok) return { value: plain.value as Json };
  }
  return checked ? { problem: describeProblems(checked.problems) } : (parsed as { problem: string });
}

/** An answer that counts. */
export interface FinalAnswer {
  readonly text: string;
  readonly structured?: Json;
}

/** A text as the answer of an agent that must answer like this. Rejects with `invalid_output` when it does not fit. */
export async function toFinalAnswer(text: string, output: JsonSchema | undefined): Promise<FinalAnswer> {
  if (!output) return { text };
  const answer = await readAnswer(text, output);
  if ("value" in answer) return { text, structured: answer.value };
  throw new PegboardError("invalid_output", `The answer does not match the output schema:\n${answer.problem}`);
}

/** Whether a provider can bind an answer to this schema: all of them take objects, few anything else. */
export function canBind({ type }: JsonSchema): boolean {
  return type === "object";
}

/** What a model is told that cannot be bound to a schema. */
export function outputInstructions(schema: JsonSchema): string {
  return `Your last answer must be one JSON value and nothing else: no other text, no code fence. It must match this JSON Schema:\n${JSON.stringify(schema)}`;
}

function parse(text: string): Answer {
  let value: unknown;
  try {
    value = JSON.parse(withoutFence(text.trim()));
  } catch (error) {
    return { problem: `it is not JSON (${messageOf(error)})` };
  }
  try {
    return { value: copyJson(value) };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

const FENCE = "```";

function withoutFence(text: string): string {
  if (!text.startsWith(FENCE) || !text.endsWith(FENCE) || text.length < 2 * FENCE.length) return text;
  return text.slice(FENCE.length, -FENCE.length).replace(/^json\b/i, "");
}

function takesText({ type, enum: values, const: value }: JsonSchema): boolean {
  return (
    type === "string" ||
    typeof value === "string" ||
    (Array.isArray(values) && values.every((one) => typeof one === "string"))
  );
}
