import type { Capability, Json, JsonSchema, McpServer, Tool } from "@pegboard/contract";
import { messageOf } from "../../core/error.ts";
import { type Prepared, PREPARE } from "../../core/sandbox.ts";
import { compileSchema } from "../../core/schema.ts";
import { toToolName } from "./names.ts";
import type { McpTool } from "./read-tools.ts";
import { isProgram } from "./server.ts";

/** What a tool of a server is made with. */
export interface ToToolDeps {
  readonly server: McpServer;
  /** The name that stands before those of its tools. */
  readonly source: string;
  /** Makes the server ready, and sure that it still has this very tool. */
  prepare(): Promise<void>;
  execute: Tool["execute"];
}

/** A tool of a server, and what of its definition is not kept to. Throws when it cannot be used at all. */
export function toTool(definition: McpTool, deps: ToToolDeps): { tool: Tool & Prepared; warnings: readonly string[] } {
  const { name, inputSchema, outputSchema } = definition;
  const input = toInput(inputSchema);
  compileSchema(input, { root: "object", foreign: true });
  const output = toOutput(outputSchema);
  const tool: Tool & Prepared = {
    name: toToolName(name, deps.source),
    description: describe(definition, deps.source),
    input,
    ...("schema" in output && output.schema && { output: output.schema }),
    ...toRights(definition.annotations, deps.server),
    execute: deps.execute,
    [PREPARE]: () => deps.prepare(),
  };
  return {
    tool,
    warnings: "problem" in output ? [`tool "${tool.name}": its output is not checked: ${output.problem}`] : [],
  };
}

// Old servers leave the type out of a schema that can only be that of an object.
function toInput(schema: JsonSchema): JsonSchema {
  return schema.type === undefined ? { type: "object", ...schema } : schema;
}

function toOutput(schema: JsonSchema | undefined): { schema: JsonSchema | undefined } | { problem: string } {
  try {
    if (schema) compileSchema(schema, { foreign: true });
    return { schema };
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

function describe({ name, title, description }: McpTool, source: string): string {
  const said = [description, title].find((text) => typeof text === "string" && text.trim() !== "");
  return (said as string | undefined) ?? `The tool "${name}" of the MCP server "${source}"`;
}

/**
 * What a tool may do is told by how its server is reached. Of what the server says itself only that counts which makes it
 * look worse: that it merely reads would let it pass where reading is allowed.
 */
function toRights(annotations: unknown, server: McpServer): Pick<Tool, "capabilities" | "approval"> {
  const { readOnlyHint, destructiveHint } = Object(annotations) as {
    readOnlyHint?: unknown;
    destructiveHint?: unknown;
  };
  const writes = readOnlyHint === false || destructiveHint === true;
  const capabilities: Capability[] = [isProgram(server) ? "process" : "network", ...(writes ? ["write" as const] : [])];
  return { capabilities, ...(destructiveHint === true && { approval: "ask" }) };
}

/** What a definition is told apart by: all that a model or a person could read of it. */
export function definitionOf({ name, title, description, inputSchema, outputSchema, annotations }: McpTool): Json {
  const parts = { name, title, description, inputSchema, outputSchema, annotations };
  return JSON.parse(JSON.stringify(parts)) as Json;
}
