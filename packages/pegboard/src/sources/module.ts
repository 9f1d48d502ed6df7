import type { Schema, Tool } from "@pegboard/contract";
import { messageOf, PegboardError } from "../core/error.ts";
import type { AnyTool } from "../core/registry.ts";
import { compileSchema } from "../core/schema.ts";
import { type AiSdkTool, fromAiSdkTool, isAiSdkTool } from "./ai-sdk.ts";
import { fromHostTool, isHostTool } from "./host-tool.ts";

/** One export that became no tool, and why. */
export interface ExportProblem {
  readonly name: string;
  readonly message: string;
}

/** The tools a module exports, and what was wrong with the others. */
export interface ModuleTools {
  readonly tools: readonly AnyTool[];
  readonly problems: readonly ExportProblem[];
}

/**
 * The tools among a module's exports: a full tool, an AI SDK tool, a host tool definition, or a function with
 * `<name>Schema` beside it. With `names`, exactly those exports, each of which must be one; without, every export that is
 * one. A problem with one export leaves the others.
 */
export async function fromModule(
  exports: Readonly<Record<string, unknown>>,
  names?: readonly string[],
): Promise<ModuleTools> {
  const tools: AnyTool[] = [];
  const problems: ExportProblem[] = [];
  for (const name of names ?? Object.keys(exports).filter((key) => isTool(exports[key]))) {
    try {
      tools.push(await toTool(name, exports));
    } catch (error) {
      problems.push({ name, message: messageOf(error) });
    }
  }
  return { tools, problems };
}

/** Whether a value is a tool in any form that needs nothing beside it. */
export function isTool(value: unknown): boolean {
  return isOwnTool(value) || isHostTool(value) || isAiSdkTool(value);
}

/** Whether a value is a tool of the contract. */
export function isOwnTool(value: unknown): value is AnyTool {
  const { name, description, input, execute, open } = Object(value) as Record<string, unknown>;
  return (
    typeof name === "string" &&
    typeof description === "string" &&
    input !== undefined &&
    (typeof execute === "function" || typeof open === "function")
  );
}

async function toTool(name: string, exports: Readonly<Record<string, unknown>>): Promise<AnyTool> {
  if (!Object.hasOwn(exports, name)) {
    throw new PegboardError(
      "invalid_definition",
      `There is no export named "${name}"; available: ${Object.keys(exports).join(", ") || "none"}`,
    );
  }
  const value = exports[name];
  if (isOwnTool(value)) return value;
  if (isHostTool(value)) return fromHostTool(value);
  if (isAiSdkTool(value)) return fromAiSdkTool(name, value as AiSdkTool);
  if (typeof value === "function") return fromFunction(name, value as Tool["execute"], exports[`${name}Schema`]);
  throw new PegboardError("invalid_definition", `The export "${name}" is neither a tool nor a function`);
}

function fromFunction(name: string, execute: Tool["execute"], schema: unknown): Tool {
  if (schema === undefined) {
    throw new PegboardError(
      "invalid_definition",
      `The function "${name}" has no schema: export one as "${name}Schema", or export a whole tool`,
    );
  }
  const { json } = compileSchema(schema as Schema, { root: "object" });
  const { description } = json;
  return {
    name,
    description: typeof description === "string" && description !== "" ? description : toWords(name),
    input: schema as Schema,
    execute,
  };
}

function toWords(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[_-]+/g, " ")
    .toLowerCase();
}
