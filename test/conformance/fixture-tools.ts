import { type CallClient, defineTool, type Json, type JsonSchema, type ToolContext } from "@pegboard/contract";
import { PIXEL, SILENCE } from "./fixture-media.ts";

const NOTHING = { type: "object", properties: {} } as const satisfies JsonSchema;
const AT_ONCE = { approval: "preApproved", input: NOTHING } as const;

/** A form with one text to fill in. */
export function askFor(message: string, field: string, type = "string"): Json {
  return { message, requestedSchema: { type: "object", properties: { [field]: { type } }, required: [field] } };
}

/** The client of a call; the suite always is one. */
export function clientOf({ client }: Pick<ToolContext, "client">): CallClient {
  if (!client) throw new Error("Nobody can be asked");
  return client;
}

/** Waits, and rejects as soon as nobody wants it any more. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });
}

const text = (said: string) => ({ content: [{ type: "text" as const, text: said }] });

/** The tools that the official suite calls: what it says each must do. */
export const FIXTURE_TOOLS = [
  defineTool({
    ...AT_ONCE,
    name: "test_simple_text",
    description: "Answers with a text",
    execute: () => "This is a simple text response for testing.",
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_image_content",
    description: "Answers with an image",
    execute: () => ({ content: [{ type: "image", data: PIXEL, mimeType: "image/png" }] }),
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_audio_content",
    description: "Answers with a sound",
    execute: () => ({ content: [{ type: "audio", data: SILENCE, mimeType: "audio/wav" }] }),
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_embedded_resource",
    description: "Answers with a resource",
    execute: () => ({
      content: [
        {
          type: "resource",
          resource: {
            uri: "test://embedded-resource",
            mimeType: "text/plain",
            text: "This is an embedded resource content.",
          },
        },
      ],
    }),
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_multiple_content_types",
    description: "Answers with blocks of several kinds",
    execute: () => ({
      content: [
        { type: "text", text: "Multiple content types test:" },
        { type: "image", data: PIXEL, mimeType: "image/png" },
        {
          type: "resource",
          resource: {
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: JSON.stringify({ test: "data", value: 123 }),
          },
        },
      ],
    }),
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_tool_with_logging",
    description: "Tells what it does while it works",
    async execute(_, context) {
      const client = clientOf(context);
      client.log("info", "Tool execution started");
      await pause(50, context.signal);
      client.log("info", "Tool processing data");
      await pause(50, context.signal);
      client.log("info", "Tool execution completed");
      return "Tool with logging executed successfully";
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_logging_tool",
    description: "Logs something",
    execute(_, context) {
      clientOf(context).log("info", "Something happened");
      return "It was logged, for whoever wants to know";
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_error_handling",
    description: "Fails",
    execute() {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_tool_with_progress",
    description: "Reports how far it is",
    async execute(_, { progress, signal }) {
      progress("Begun", { current: 0, total: 100 });
      await pause(50, signal);
      progress("Half done", { current: 50, total: 100 });
      await pause(50, signal);
      progress("Done", { current: 100, total: 100 });
      return "Progress was reported";
    },
  }),
  defineTool({
    ...AT_ONCE,
    name: "test_reconnection",
    description: "Takes a moment, so that a client can come back for the answer",
    async execute(_, { signal }) {
      await pause(100, signal);
      return "The answer after a moment";
    },
  }),
  defineTool({
    name: "test_x_mcp_header",
    description: "Takes an argument that is repeated in a header",
    input: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
      required: ["region"],
    },
    approval: "preApproved",
    execute: ({ region }) => `Region: ${region}`,
  }),
  defineTool({
    name: "json_schema_2020_12_tool",
    description: "Tool with JSON Schema 2020-12 features",
    input: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // A schema, not a promise.
      // oxlint-disable-next-line unicorn/no-thenable
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    } as JsonSchema,
    approval: "preApproved",
    execute: (input) => text(JSON.stringify(input)),
  }),
];
