import type { Wire } from "../wire.ts";

/** Messages of Anthropic. */
export const anthropic: Wire = {
  serves: (path) => path.endsWith("/messages"),
  tools: (body) => (body["tools"] ?? []).map(({ name }: { name: string }) => name),
  answer(turn) {
    const content =
      "text" in turn
        ? { block: { type: "text", text: "" }, delta: { type: "text_delta", text: turn.text } }
        : {
            block: { type: "tool_use", id: turn.id, name: turn.tool, input: {} },
            delta: { type: "input_json_delta", partial_json: JSON.stringify(turn.input) },
          };
    const usage = { input_tokens: 1, output_tokens: 1 };
    const message = { id: "msg_1", type: "message", role: "assistant", model: "scripted", content: [], usage };
    const stop_reason = "text" in turn ? "end_turn" : "tool_use";
    return [
      { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
      { type: "content_block_start", index: 0, content_block: content.block },
      { type: "content_block_delta", index: 0, delta: content.delta },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
      { type: "message_stop" },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
  },
  whole: (turn) => ({
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "scripted",
    content: [
      "text" in turn
        ? { type: "text", text: turn.text }
        : { type: "tool_use", id: turn.id, name: turn.tool, input: turn.input },
    ],
    stop_reason: "text" in turn ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }),
};
