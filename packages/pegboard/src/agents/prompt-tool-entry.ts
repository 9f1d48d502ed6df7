import type { JsonSchema, PromptTool } from "@pegboard/contract";
import { nameProblem } from "../core/name.ts";
import { type Field, type Findings, isMapping } from "./field.ts";
import { type Reader, schema, text, wrong } from "./field-readers.ts";
import { placeholdersOf } from "./template.ts";
import { listOf, readPattern } from "./tool-patterns.ts";

/** The keys of an entry of `tools` that is a prompt. */
export const PROMPT_TOOL_KEYS: readonly string[] = [
  "name",
  "description",
  "model",
  "parameters",
  "result_schema",
  "prompt",
  "tools",
];

/** Reads an entry of `tools` that is a prompt. One that is wrong is left out, and told with its line. */
export function readPromptTool(entry: Field, findings: Findings): PromptTool | undefined {
  findings.unknownKeys(entry, PROMPT_TOOL_KEYS);
  const read = <T>(key: string, reader: Reader<T>) => reader(entry.member(key), findings, "without");
  const has = (key: string) => entry.member(key).value !== undefined;
  const name = read("name", named);
  const description = read("description", filled(8_192));
  const prompt = read("prompt", filled(65_536));
  const input = has("parameters") ? read("parameters", parameters) : NONE;
  const output = has("result_schema") ? read("result_schema", schema()) : undefined;
  const model = has("model") ? read("model", text(256)) : undefined;
  const tools = has("tools") ? read("tools", patterns) : undefined;
  const isWrong =
    (has("result_schema") && !output) || (has("model") && model === undefined) || (has("tools") && !tools);
  if (name === undefined || description === undefined || prompt === undefined || !input || isWrong) return undefined;
  warnOfPlaceholders(entry.member("prompt"), prompt, input, findings);
  return {
    name,
    description,
    prompt,
    input,
    ...(output && { output }),
    ...(model && model !== "inherit" && { model }),
    ...(tools && { tools }),
  };
}

const NONE: JsonSchema = { type: "object", properties: {}, additionalProperties: false };

const named: Reader<string> = (field, findings, consequence) => {
  const problem = nameProblem(field.value);
  if (problem === undefined) return field.value as string;
  findings.add(consequence, { code: "invalid_name", message: `${field.path} ${problem}`, place: field.place() });
  return undefined;
};

function filled(most: number): Reader<string> {
  return (field, findings, consequence) => {
    const { value } = field;
    if (value === undefined || value === null || (typeof value === "string" && value.trim() === ""))
      return wrong(field, "a text that is not empty", findings, consequence);
    return text(most)(field, findings, consequence);
  };
}

const patterns: Reader<readonly string[]> = (field, findings, consequence) => {
  const entries = listOf(field, findings, consequence);
  const read = entries?.flatMap((entry) => readPattern(entry, findings, consequence) ?? []);
  return read?.length === entries?.length ? read : undefined;
};

/** A whole JSON Schema, or the short form: a mapping of names to what each parameter is, required unless it says not. */
const parameters: Reader<JsonSchema> = (field, findings, consequence) => {
  const { value } = field;
  if (!isMapping(value)) return wrong(field, "a mapping of parameters", findings, consequence);
  if (typeof value["type"] === "string") return schema({ root: "object" })(field, findings, consequence);
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [key, parameter] of Object.entries(value)) {
    if (!isMapping(parameter))
      return wrong(field.member(key), "a mapping such as { type: string }", findings, consequence);
    const { required: isRequired = true, ...rest } = parameter;
    if (typeof isRequired !== "boolean")
      return wrong(field.member(key).member("required"), "true or false", findings, consequence);
    properties[key] = rest as JsonSchema;
    if (isRequired) required.push(key);
  }
  const whole = { type: "object", properties, required, additionalProperties: false };
  return schema({ root: "object" })({ ...field, value: whole }, findings, consequence);
};

function warnOfPlaceholders(field: Field, prompt: string, input: JsonSchema, findings: Findings): void {
  const { properties } = input as { properties?: object };
  const unknown = placeholdersOf(prompt).filter((name) => !Object.hasOwn(properties ?? {}, name));
  if (unknown.length === 0) return;
  const listed = unknown.slice(0, 5).map((name) => `{{${name}}}`);
  findings.add("warning", {
    code: "unknown_placeholder",
    message: `${field.path}: there is no parameter for ${listed.join(", ")}; it stays as it is`,
    place: field.place(),
    fix: "add it to parameters",
  });
}
