import { MockLanguageModelV4 } from "ai/test";

/** A model of the AI SDK that makes these calls, one a step, and then is done. Yours would be that of a provider. */
export function scriptedChat(calls: { tool: string; input: object }[]): MockLanguageModelV4 {
  const about = {
    usage: {
      inputTokens: { total: 10, noCache: 10, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    },
    warnings: [],
  };
  return new MockLanguageModelV4({
    async doGenerate() {
      const call = calls.shift();
      if (!call)
        return {
          content: [{ type: "text", text: "Your order is on its way." }],
          finishReason: { unified: "stop", raw: undefined },
          ...about,
        };
      const { tool: toolName, input } = call;
      return {
        content: [{ type: "tool-call", toolCallId: crypto.randomUUID(), toolName, input: JSON.stringify(input) }],
        finishReason: { unified: "tool-calls", raw: undefined },
        ...about,
      };
    },
  });
}
