import { type Answer, data, type Events, piecesOf } from "./answer.ts";

/** Gemini's `streamGenerateContent?alt=sse`. */
export function google({ text = "", reasoning, signature, calls = [], length, usage }: Answer): Events {
  const chunk = (part: unknown) => data({ candidates: [{ content: { role: "model", parts: [part] }, index: 0 }] });
  const signed = signature === undefined ? {} : { thoughtSignature: signature };
  const { input = 0, output = 0, cached, reasoning: thought } = usage ?? {};
  return {
    events: [
      ...(reasoning === undefined ? [] : [chunk({ text: reasoning, thought: true })]),
      ...piecesOf(text).map((piece) => chunk({ text: piece })),
      // Arguments come as a value here; those that are none end the answer in another way.
      ...calls.map(({ id, tool, arguments: args }) =>
        chunk({ functionCall: { id, name: tool, args: JSON.parse(args) as unknown }, ...signed }),
      ),
    ],
    last: [
      data({
        candidates: [
          {
            content: { role: "model", parts: calls.length > 0 ? [] : [{ text: "", ...signed }] },
            finishReason: length ? "MAX_TOKENS" : "STOP",
            index: 0,
          },
        ],
        usageMetadata: {
          promptTokenCount: input,
          candidatesTokenCount: output - (thought ?? 0),
          totalTokenCount: input + output,
          ...(cached !== undefined && { cachedContentTokenCount: cached }),
          ...(thought !== undefined && { thoughtsTokenCount: thought }),
        },
        modelVersion: "fake",
        responseId: "response-1",
      }),
    ],
  };
}
