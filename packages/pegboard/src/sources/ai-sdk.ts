import type { Approval, JsonSchema, Schema, Tool, ToolContext } from "@pegboard/contract";
import { messageOf, PegboardError } from "../core/error.ts";
import { nameProblem } from "../core/name.ts";
import { compileSchema } from "../core/schema.ts";
import { type Parse, toCheckedInput, toRefusal } from "./ai-sdk-input.ts";
import { type ModelOutputTool, readOutput, toModelReturn } from "./ai-sdk-output.ts";

/** Any AI SDK tool (versions 4 to 7), structurally: no dependency on a version of `ai`. */
export interface AiSdkTool extends ModelOutputTool {
  readonly type?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | ((options: any) => string) | undefined;
  /** Zod 3 or 4, a Standard Schema that describes itself as JSON Schema, or the AI SDK's `jsonSchema()`. */
  readonly inputSchema?: unknown;
  /** The name that version 4 has for `inputSchema`. */
  readonly parameters?: unknown;
  /** Types for the author: no version checks it, and neither does Pegboard. */
  readonly outputSchema?: unknown;
  readonly contextSchema?: unknown;
  readonly needsApproval?: boolean | ((input: any, options: any) => boolean | PromiseLike<boolean>) | undefined;
  readonly execute?: ((input: any, options: any) => unknown) | undefined;
}

/** A tool of a toolset that could not be taken over, and why. */
export interface SkippedTool {
  readonly name: string;
  readonly reason: string;
}

/**
 * Turns a toolset (name → tool) into Pegboard tools named by its keys. What cannot be run here is skipped with a reason
 * and does not touch the others. Never rejects.
 */
export async function fromAiSdk(
  toolset: Readonly<Record<string, unknown>>,
): Promise<{ tools: Tool[]; skipped: SkippedTool[] }> {
  const tools: Tool[] = [];
  const skipped: SkippedTool[] = [];
  for (const name of Object.keys(toolset)) {
    try {
      tools.push(await fromAiSdkTool(name, toolset[name] as AiSdkTool));
    } catch (error) {
      skipped.push({ name, reason: messageOf(error) });
    }
  }
  return { tools, skipped };
}

/**
 * One AI SDK tool under a name. Its JSON Schema is carried unchanged; its `needsApproval` becomes the tool's own word,
 * where `false` as a constant says nothing. Rejects with `invalid_definition` when it cannot be run here.
 */
export async function fromAiSdkTool(name: string, tool: AiSdkTool): Promise<Tool> {
  const problem = nameProblem(name);
  if (problem) throw refuse(name, `its name ${problem}`);
  if (!isAiSdkTool(tool)) throw refuse(name, "it is not an AI SDK tool with an inputSchema");
  if (isProviderTool(tool)) throw refuse(name, "a model provider defines it, and only that provider's models know it");
  const { execute } = tool;
  if (typeof execute !== "function") throw refuse(name, "it has no execute function");
  const { input, parse } = await toInput(name, tool);
  const ownContext = await toOwnContext(name, tool);
  const approval = toApproval(tool, parse, ownContext);
  return {
    name,
    description: describe(name, tool, ownContext),
    input,
    ...(approval && { approval }),
    async execute(given, context) {
      const parsed = await parse(given);
      if (!parsed.success) return toRefusal(name, parsed.error);
      const options = { abortSignal: context.signal, ...toOptions(context.callId, ownContext ?? toView(context)) };
      const output = await readOutput(execute.call(tool, parsed.value, options), context);
      return toModelReturn(tool, { toolCallId: context.callId, input: parsed.value, output });
    },
  };
}

/** Whether a value looks like an AI SDK tool. */
export function isAiSdkTool(value: unknown): value is AiSdkTool {
  if (typeof value !== "object" || value === null) return false;
  const { inputSchema, parameters } = value as AiSdkTool;
  return (inputSchema ?? parameters ?? undefined) !== undefined || isProviderTool(value);
}

function isProviderTool({ type }: AiSdkTool): boolean {
  return type === "provider" || type === "provider-defined";
}

function refuse(name: string, why: string): PegboardError {
  return new PegboardError("invalid_definition", `The AI SDK tool "${name}" is not usable: ${why}`);
}

async function toInput(name: string, tool: AiSdkTool): Promise<{ input: Schema; parse: Parse }> {
  try {
    const { validate, jsonSchema } = await toSchema(tool.inputSchema ?? tool.parameters);
    const given = (await jsonSchema) as JsonSchema;
    // Zod hangs itself on the JSON Schema it makes, hidden; it would then parse twice.
    const json = "~standard" in given ? { ...given } : given;
    // Registering is all or nothing: one schema that cannot be used must not keep the other tools off the board.
    compileSchema(json, { root: "object", foreign: true });
    if (!validate) return { input: json, parse: async (value) => ({ success: true, value }) };
    const parse: Parse = async (value) => validate(value);
    return { input: toCheckedInput(json, parse), parse };
  } catch (error) {
    throw refuse(name, `its input schema must be Zod, a Standard Schema or JSON Schema (${messageOf(error)})`);
  }
}

async function toSchema(schema: unknown) {
  const { asSchema, jsonSchema, zodSchema } = await import("@ai-sdk/provider-utils");
  if (isBareJsonSchema(schema)) return jsonSchema(schema);
  const { _def, safeParseAsync } = schema as { _def?: unknown; safeParseAsync?: unknown };
  // Zod before 3.24 lacks the `~standard` field by which `asSchema` knows it.
  const isOldZod = _def !== undefined && typeof safeParseAsync === "function" && !("~standard" in (schema as object));
  return isOldZod
    ? zodSchema(schema as Parameters<typeof zodSchema>[0])
    : asSchema(schema as Parameters<typeof asSchema>[0]);
}

// Tools written by hand leave out the wrapper `jsonSchema()`, which the AI SDK would answer with a TypeError.
function isBareJsonSchema(schema: unknown): schema is JsonSchema & object {
  const { type, "~standard": standard, _def } = schema as Record<string, unknown>;
  return type === "object" && standard === undefined && _def === undefined;
}

// Applications of the AI SDK hand such a tool what it declares (keys, clients). Here nobody does.
async function toOwnContext(name: string, tool: AiSdkTool): Promise<unknown> {
  if (tool.contextSchema === undefined) return undefined;
  const parsed = (await (await toSchema(tool.contextSchema)).validate?.({})) ?? { success: true, value: {} };
  if (parsed.success) return parsed.value;
  throw refuse(
    name,
    "it needs a context of its application (contextSchema); capture what it needs when the tool is made",
  );
}

function toApproval(tool: AiSdkTool, parse: Parse, ownContext: unknown): Tool["approval"] {
  const { needsApproval } = tool;
  if (needsApproval === undefined || needsApproval === null || needsApproval === false) return undefined;
  if (typeof needsApproval !== "function") return "ask";
  return async (input): Promise<Approval | boolean> => {
    const parsed = await parse(input);
    if (!parsed.success) return "ask";
    const answer: unknown = await needsApproval.call(tool, parsed.value, toOptions("", ownContext ?? {}));
    return typeof answer === "boolean" ? answer : "ask";
  };
}

// `context` is the name of version 7, `experimental_context` that of 5 and 6.
function toOptions(toolCallId: string, context: unknown) {
  return { toolCallId, messages: [], context, experimental_context: context };
}

function toView({ session, agent }: ToolContext) {
  return { session, ...(agent && { agent }) };
}

function describe(name: string, tool: AiSdkTool, ownContext: unknown): string {
  const { description } = tool;
  const said = typeof description === "function" ? description({ context: ownContext ?? {} }) : description;
  const inWords = name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .toLowerCase();
  return [said, tool.title].find((text) => typeof text === "string" && text.trim() !== "") ?? inWords;
}
