import { generateText, jsonSchema, tool, type ToolSet } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { DESCRIPTION, INPUT, search, type SearchInput, toolName, toSchema, toZodSchema } from "../search-tool.ts";
import type { Peer } from "./peer.ts";

/** One step of the AI SDK's loop: a model that answers at once with one tool call, and the call. */
export function aiSdkPeer(tools = 1): Peer {
  const set = Object.fromEntries(Array.from({ length: tools }, (_, index) => [toolName(index), toAiTool()])) as ToolSet;
  const input = JSON.stringify(INPUT);
  const model = new MockLanguageModelV4();
  return {
    name: "AI SDK 7",
    async call(index) {
      model.doGenerate = async () => ({
        content: [{ type: "tool-call", toolCallId: "1", toolName: toolName(index), input }],
        finishReason: { unified: "tool-calls", raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      });
      const { toolResults } = await generateText({ model, tools: set, prompt: "search" });
      const output: unknown = toolResults[0]?.output;
      if (typeof output !== "string") throw new Error("The call failed");
      return output;
    },
    async [Symbol.asyncDispose]() {},
  };
}

// A bare `jsonSchema` is sent to the model and checks nothing.
function toAiTool() {
  const zod = toZodSchema();
  const inputSchema = jsonSchema<SearchInput>(toSchema() as unknown as Parameters<typeof jsonSchema>[0], {
    validate: (value) => {
      const { success, data, error } = zod.safeParse(value);
      return success ? { success, value: data } : { success, error };
    },
  });
  return tool({ description: DESCRIPTION, inputSchema, execute: search });
}
