import type { Client, Event, RemoteSession } from "../../src/client/index.ts";
import type { TransportClient } from "../../src/testing/index.ts";

/** A client of ours, as the kit wants one. */
export function toKitClient(
  client: Client,
  session: RemoteSession,
  approve: (tool: string) => Promise<"allow" | "deny">,
): Omit<TransportClient, "close"> {
  const text = (content: readonly { readonly type: string; readonly text?: string }[]) =>
    content.map((block) => block.text ?? "").join("");
  const onEvent = (event: Event) => {
    if (event.type !== "approval-request") return;
    void approve(event.data.tool).then((decision) => session.answer(event.data.id, { decision }));
  };
  return {
    list: () => session.list(),
    async call(tool, input, { signal, onProgress } = {}) {
      const listen = (event: Event) => {
        onEvent(event);
        if (event.type === "call-progress") onProgress?.(event.data.message);
      };
      const result = await session.call(tool, input, { onEvent: listen, ...(signal && { signal }) });
      return { ok: result.ok, text: text(result.content), structured: result.structured };
    },
    prompt: async (prompt, { signal } = {}) =>
      (await session.prompt(prompt, { onEvent, ...(signal && { signal }) })).text,
    async onToolsChange(listener) {
      void (async () => {
        for await (const { type } of session.events()) if (type === "tools-change") listener();
      })();
    },
    async eventsFrom(from) {
      const seqs: number[] = [];
      for await (const { seq } of client.stream("events", { from }, { session: session.id })) seqs.push(seq);
      return seqs;
    },
  };
}
