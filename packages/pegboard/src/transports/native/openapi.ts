import { type ErrorCode, ERRORS, type Json, type JsonSchema } from "@pegboard/contract";
import { VERSION } from "../../version.ts";
import type { Command } from "./command.ts";
import type { CommandType } from "./command-types.ts";
import { COMMANDS } from "./commands.ts";
import { ROUTES } from "./routes.ts";

/** The description of the HTTP door in OpenAPI 3.1, made from the table of commands. `base` is where it is mounted. */
export function toOpenApi(base = "/v1"): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const [type, command] of Object.entries(COMMANDS) as [CommandType, Command<CommandType>][]) {
    const [method = "", path = ""] = ROUTES[type].split(" ");
    (paths[path] ??= {})[method.toLowerCase()] = toOperation(type, command, method, path);
  }
  return {
    openapi: "3.1.0",
    info: { title: "Pegboard", version: VERSION, description: "Tools and agents under one policy, and one log" },
    servers: [{ url: base }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: ERROR, Event: EVENT } as Json,
    },
  } as Json;
}

const CODES = Object.keys(ERRORS) as ErrorCode[];

const ERROR = {
  type: "object",
  properties: {
    error: {
      type: "object",
      properties: {
        code: { enum: CODES },
        name: { type: "string", description: "The same in one word, such as TOOL_NOT_FOUND" },
        message: { type: "string" },
        retryable: { type: "boolean" },
        details: {},
      },
      required: ["code", "name", "message", "retryable"],
    },
  },
  required: ["error"],
};

const EVENT = {
  type: "object",
  properties: {
    id: { type: ["string", "number", "null"] },
    seq: { type: "integer", minimum: 1 },
    type: { type: "string" },
    data: {},
    final: { type: "boolean", description: "Exactly one event of a command is, and it is the last" },
  },
  required: ["id", "seq", "type", "data", "final"],
};

function toOperation(type: CommandType, command: Command<CommandType>, method: string, path: string): Json {
  const { description, params, result, streams } = command;
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const { properties = {}, required = [] } = params as { properties?: Record<string, JsonSchema>; required?: string[] };
  const others = Object.entries(properties).filter(([name]) => !inPath.includes(name));
  const takesBody = method === "POST" && others.length > 0;
  const stream = { schema: { $ref: "#/components/schemas/Event" } };
  return {
    operationId: type,
    summary: description,
    parameters: [
      ...inPath.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
      ...(takesBody
        ? []
        : others.map(([name, schema]) => ({ name, in: "query", required: required.includes(name), schema }))),
    ],
    ...(takesBody && {
      requestBody: {
        required: required.some((name) => !inPath.includes(name)),
        content: { "application/json": { schema: toBody(others, required) } },
      },
    }),
    responses: {
      "200": {
        description: streams ? "The answer, or the events that lead to it" : "The answer",
        content: {
          "application/json": { schema: result },
          "text/event-stream": stream,
          "application/x-ndjson": stream,
        },
      },
      default: {
        description: "It could not be carried out",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  } as Json;
}

function toBody(properties: readonly [string, JsonSchema][], required: readonly string[]): JsonSchema {
  const needed = required.filter((name) => properties.some(([other]) => other === name));
  return { type: "object", properties: Object.fromEntries(properties), required: needed, additionalProperties: false };
}
