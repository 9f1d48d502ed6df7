import { type Answer, type Events, named, piecesOf } from "./answer.ts";

/** Anthropic's `messages` with `stream: true`. */
export function anthropic({ text = "", reasoning, signature, calls = [], length, usage }: Answer): Events {
  let index = 0;
  const block = (content: object, deltas: readonly object[]) => {
    const at = index++;
    return [
      named({ type: "content_block_start", index: at, content_block: content }),
      ...deltas.map((delta) => named({ type: "content_block_delta", index: at, delta })),
      named({ type: "content_block_stop", index: at }),
    ];
  };
  const { input = 0, output = 0, cached = 0, written = 0 } = usage ?? {};
  const counts = {
    input_tokens: input - cached - written,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: written,
  };
  const message = { id: "msg_1", type: "message", role: "assistant", model: "fake", content: [], stop_reason: null };
  return {
    events: [
      named({ type: "message_start", message: { ...message, usage: { ...counts, output_tokens: 0 } } }),
      named({ type: "ping" }),
      ...(reasoning === undefined
        ? []
        : block({ type: "thinking", thinking: "" }, [
            { type: "thinking_delta", thinking: reasoning },
            { type: "signature_delta", signature },
          ])),
      ...(text === ""
        ? []
        : block(
            { type: "text", text: "" },
            piecesOf(text).map((piece) => ({ type: "text_delta", text: piece })),
          )),
      ...calls.flatMap(({ id, tool, arguments: args }) =>
        block(
          { type: "tool_use", id, name: tool, input: {} },
          piecesOf(args).map((piece) => ({ type: "input_json_delta", partial_json: piece })),
        ),
      ),
    ],
    last: [
      named({
        type: "message_delta",
        delta: { stop_reason: length ? "max_tokens" : calls.length > 0 ? "tool_use" : "end_turn", stop_sequence: null },
        usage: { output_tokens: output },
      }),
      named({ type: "message_stop" }),
    ],
  };
}
