import type { Json, Result } from "@pegboard/contract";
import type { EventOf } from "../../../src/core/event.ts";
import type { TransportClient } from "../../../src/testing/index.ts";
import type { WireEvent } from "../../../src/transports/native/wire.ts";
import type { Talk } from "./talk.ts";

/** A client of our own protocol, as the kit wants one, on a line that carries its messages. */
export function toKitClient(
  talk: Talk,
  approve: (tool: string) => Promise<"allow" | "deny">,
): Omit<TransportClient, "close"> {
  let last = 0;
  let looked = 0;
  const follow = async () => {
    for (;;) {
      const event = await talk.until((one) => talk.events.indexOf(one) >= looked && one.type === "approval-request");
      looked = talk.events.indexOf(event) + 1;
      const { id, tool } = (event.data as EventOf<"approval-request">).data;
      void approve(tool).then((decision) => ask("approval.answer", { approval: id, decision }));
    }
  };
  void follow();

  async function ask(type: string, params: object, onEvent?: (event: WireEvent) => void, signal?: AbortSignal) {
    const id = ++last;
    signal?.addEventListener("abort", () => void ask("cancel", { id }));
    const events = talk.send({ id, type, params });
    if (onEvent) void talk.until((event) => event.id === id && (onEvent(event), event.final));
    return events;
  }

  return {
    async list() {
      return ((await ask("tools.list", {})).at(-1)!.data as { tools: { name: string; inputSchema: unknown }[] }).tools;
    },
    async call(tool: string, input: Json, { signal, onProgress } = {}) {
      const report = ({ type, data }: WireEvent) => {
        if (type === "call-progress") onProgress?.((data as EventOf<"call-progress">).data.message);
      };
      const { ok, content, structured } = (await ask("tools.call", { tool, input }, report, signal)).at(-1)!
        .data as Result;
      const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
      return { ok, text, structured };
    },
    async prompt(prompt, { signal } = {}) {
      return ((await ask("prompt", { prompt }, undefined, signal)).at(-1)!.data as { text: string }).text;
    },
    async onToolsChange(listener) {
      void ask("events", { follow: true }, ({ type }) => type === "tools-change" && listener());
    },
    async eventsFrom(from) {
      const events = await ask("events", { from });
      return events.slice(0, -1).map(({ data }) => (data as { seq: number }).seq);
    },
    async sendNonsense() {
      talk.raw("{nonsense");
      await talk.until(({ id, type }) => id === null && type === "error");
    },
  };
}
