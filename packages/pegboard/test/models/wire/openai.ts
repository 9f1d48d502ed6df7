import { type Answer, type Events, named, piecesOf } from "./answer.ts";

/** OpenAI's `responses` with `stream: true`. */
export function openai({ text = "", reasoning, signature, calls = [], length, usage }: Answer): Events {
  let index = 0;
  const event = (type: string, fields: object) => named({ type, ...fields });
  const item = (added: object, between: (at: number) => readonly string[], done: object) => {
    const at = index++;
    return [
      event("response.output_item.added", { output_index: at, item: added }),
      ...between(at),
      event("response.output_item.done", { output_index: at, item: done }),
    ];
  };
  const { input = 0, output = 0, cached = 0, reasoning: thought = 0 } = usage ?? {};
  const response = { id: "resp_1", created_at: 1, model: "fake" };
  return {
    events: [
      event("response.created", { response }),
      ...(reasoning === undefined ? [] : thinking(reasoning, signature)),
      ...(text === "" ? [] : message(text)),
      ...calls.flatMap(({ id, tool, arguments: args }, number) => {
        const call = { type: "function_call", id: `fc_${number}`, call_id: id, name: tool };
        return item(
          { ...call, arguments: "" },
          (at) =>
            piecesOf(args).map((delta) =>
              event("response.function_call_arguments.delta", { item_id: call.id, output_index: at, delta }),
            ),
          { ...call, arguments: args, status: "completed" },
        );
      }),
    ],
    last: [
      event(length ? "response.incomplete" : "response.completed", {
        response: {
          ...response,
          ...(length && { incomplete_details: { reason: "max_output_tokens" } }),
          usage: {
            input_tokens: input,
            input_tokens_details: { cached_tokens: cached },
            output_tokens: output,
            output_tokens_details: { reasoning_tokens: thought },
          },
        },
      }),
    ],
  };

  function message(said: string) {
    const added = { type: "message", id: "msg_1", role: "assistant", content: [] };
    return item(
      added,
      (at) =>
        piecesOf(said).map((delta) =>
          event("response.output_text.delta", { item_id: "msg_1", output_index: at, content_index: 0, delta }),
        ),
      { ...added, status: "completed" },
    );
  }

  function thinking(thoughts: string, sealed: string | undefined) {
    const added = { type: "reasoning", id: "rs_1", summary: [] };
    const place = (at: number) => ({ item_id: "rs_1", output_index: at, summary_index: 0 });
    return item(
      added,
      (at) => [
        event("response.reasoning_summary_part.added", place(at)),
        event("response.reasoning_summary_text.delta", { ...place(at), delta: thoughts }),
        event("response.reasoning_summary_part.done", place(at)),
      ],
      { ...added, encrypted_content: sealed },
    );
  }
}
