import type { Turn, Wire } from "../wire.ts";

const ABOUT = { id: "chat_1", created: 1, model: "scripted" };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

/** Chat completions of OpenAI, which many others speak. */
export const openaiChat: Wire = {
  serves: (path) => path.endsWith("/chat/completions"),
  tools: (body) => (body["tools"] ?? []).map((tool: any) => tool.function?.name),
  answer(turn) {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      ...ABOUT,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
      ...(finish_reason && { usage: USAGE }),
    });
    const chunks = [chunk({ role: "assistant", ...toMessage(turn, { index: 0 }) }), chunk({}, toReason(turn))];
    return `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join("")}data: [DONE]\n\n`;
  },
  whole: (turn) => ({
    ...ABOUT,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", ...toMessage(turn) }, finish_reason: toReason(turn) }],
    usage: USAGE,
  }),
};

function toMessage(turn: Turn, place: object = {}): object {
  if ("text" in turn) return { content: turn.text };
  const call = { name: turn.tool, arguments: JSON.stringify(turn.input) };
  return { content: null, tool_calls: [{ ...place, id: turn.id, type: "function", function: call }] };
}

function toReason(turn: Turn): string {
  return "text" in turn ? "stop" : "tool_calls";
}
