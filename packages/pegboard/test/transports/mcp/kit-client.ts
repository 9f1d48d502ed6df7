import { Client, type Transport } from "@modelcontextprotocol/client";
import type { Approve, TransportClient } from "../../../src/testing/index.ts";

/** Connects a client of the official SDK, as the kit wants one. Where it is asked, the person answers as they approve. */
export async function connectKitClient(
  transport: Transport,
  era: "legacy" | "modern",
  approve: Approve,
): Promise<TransportClient> {
  let changed = () => {};
  const mode = era === "modern" ? { pin: "2026-07-28" } : ("legacy" as const);
  const client = new Client(
    { name: "kit", version: "1" },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode },
      listChanged: { tools: { onChanged: () => changed(), autoRefresh: false } },
    },
  );
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const [, tool = ""] = /May the tool "(\w+)" run/.exec(params.message) ?? [];
    const answer = (await approve(tool)) === "allow" ? "allow once" : "deny";
    return { action: "accept", content: { answer } };
  });
  await client.connect(transport);

  async function call(name: string, input: unknown, options: Parameters<typeof client.callTool>[1] = {}) {
    const params = { name, arguments: input as Record<string, unknown> };
    const { isError, content, structuredContent } = await client.callTool(params, options);
    const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
    return { ok: !isError, text, structured: structuredContent };
  }

  return {
    list: async () => (await client.listTools({}, { cacheMode: "bypass" } as never)).tools,
    async call(tool, input, { signal, onProgress } = {}) {
      const onprogress = ({ message = "" }: { message?: string | undefined }) => onProgress?.(message);
      return call(tool, input, { onprogress, ...(signal && { signal }) }).catch((error: Error) => ({
        ok: false,
        text: error.message,
      }));
    },
    prompt: async (prompt, { signal } = {}) => (await call("agent_assistant", { prompt }, signal && { signal })).text,
    onToolsChange: async (listener) => void (changed = listener),
    close: () => client.close(),
  };
}
