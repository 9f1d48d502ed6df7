import { type Answer, data, type Events, piecesOf } from "./answer.ts";

/** OpenAI's `chat/completions` with `stream: true`, which Ollama and LM Studio speak too. */
export function openaiChat({ text = "", reasoning, calls = [], length, usage }: Answer): Events {
  const chunk = (delta: object, finish: string | null = null) =>
    data({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "fake",
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  const { input = 0, output = 0, cached = 0, reasoning: thought = 0 } = usage ?? {};
  const tokens = {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thought },
  };
  return {
    events: [
      chunk({ role: "assistant", content: "" }),
      ...(reasoning === undefined ? [] : [chunk({ reasoning_content: reasoning })]),
      ...piecesOf(text).map((content) => chunk({ content })),
      ...calls.flatMap(({ id, tool, arguments: args }, index) => [
        chunk({ tool_calls: [{ index, id, type: "function", function: { name: tool, arguments: "" } }] }),
        ...piecesOf(args).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
      ]),
    ],
    last: [
      chunk({}, length ? "length" : calls.length > 0 ? "tool_calls" : "stop"),
      data({
        id: "chatcmpl-1",
        object: "chat.completion.chunk",
        created: 1,
        model: "fake",
        choices: [],
        usage: tokens,
      }),
      "data: [DONE]\n\n",
    ],
  };
}
