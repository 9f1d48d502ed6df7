import type { Turn, Wire } from "../wire.ts";

/** Responses of OpenAI. */
export const openaiResponses: Wire = {
  serves: (path) => path.endsWith("/responses"),
  // Tools of one server may stand together, under its name.
  tools: (body) =>
    (body["tools"] ?? []).flatMap((tool: any) =>
      tool.type === "namespace" ? tool.tools.map((one: any) => `${tool.name}\n${one.name}`) : (tool.name ?? tool.type),
    ),
  answer(turn) {
    const item = toItem(turn);
    return [
      { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: toWhole(turn) },
    ]
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
  },
  whole: toWhole,
};

function toWhole(turn: Turn): object {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  return { id: "resp_1", object: "response", status: "completed", output: [toItem(turn)], usage };
}

function toItem(turn: Turn): object {
  if ("text" in turn) {
    const content = [{ type: "output_text", text: turn.text, annotations: [] }];
    return { type: "message", id: "item_1", role: "assistant", status: "completed", content };
  }
  const [namespace, name] = turn.tool.includes("\n") ? turn.tool.split("\n") : [undefined, turn.tool];
  const call = { name, ...(namespace !== undefined && { namespace }), arguments: JSON.stringify(turn.input) };
  return { type: "function_call", id: "item_1", call_id: turn.id, status: "completed", ...call };
}
