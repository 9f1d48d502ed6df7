import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { describe, test } from "vitest";
import { describeTransport, type TransportDoor } from "../../../src/testing/index.ts";
import { createDesk } from "../../../src/transports/desk.ts";
import { createMcpDoor, type McpDoor } from "../../../src/transports/mcp/door.ts";
import { createSseDoor } from "../../../src/transports/mcp/sse.ts";
import { ann } from "./stage.ts";

/** A way to a door: the transport of a client, and how what is no message is sent and answered. */
interface Way {
  readonly transport: Transport;
  nonsense?(): Promise<void>;
}

const ADDRESS = new URL("http://localhost/mcp");

const ways: Readonly<Record<string, (door: McpDoor) => Way>> = {
  line(door) {
    const answered = Promise.withResolvers<void>();
    const connection = door.connect(ann, {
      async send(text) {
        const message = JSON.parse(text);
        if (message.error?.code === -32700) answered.resolve();
        else setImmediate(() => transport.onmessage?.(message));
      },
      close: () => transport.onclose?.(),
    });
    const transport: Transport = {
      start: async () => {},
      send: async (message) => void setImmediate(() => connection.receive(JSON.stringify(message))),
      close: () => connection.close(),
    };
    return { transport, nonsense: () => (connection.receive("{nope"), answered.promise) };
  },
  http(door) {
    const fetch = (url: string | URL, init?: RequestInit) => door.fetch(new Request(url, init), ann);
    const headers = { "content-type": "application/json" };
    return {
      transport: new StreamableHTTPClientTransport(ADDRESS, { fetch }),
      async nonsense() {
        const { status } = await fetch(ADDRESS, { method: "POST", headers, body: "{nope" });
        if (status !== 400) throw new Error(`It was answered with ${status}`);
      },
    };
  },
  sse(door) {
    const sse = createSseDoor(door);
    const fetch = (url: string | URL, init?: RequestInit) => sse.fetch(new Request(url, init), ann);
    return { transport: new SSEClientTransport(ADDRESS, { fetch, eventSourceInit: { fetch } }) };
  },
};

function toDoor(way: keyof typeof ways, era: "legacy" | "modern"): TransportDoor {
  return {
    async connect(runtime, approve) {
      const desk = createDesk(runtime);
      const door = createMcpDoor(desk, { name: "pegboard", version: "1.0.0" });
      const { transport, nonsense } = ways[way]!(door);
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
      // The stream for what happens between requests is opened after the handshake.
      if (way === "http" && era === "legacy") await new Promise((resolve) => setTimeout(resolve, 50));

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
        prompt: async (prompt, { signal } = {}) =>
          (await call("agent_assistant", { prompt }, signal && { signal })).text,
        onToolsChange: async (listener) => void (changed = listener),
        ...(nonsense && { sendNonsense: nonsense }),
        async close() {
          await client.close();
          await door.close();
          await desk.close(AbortSignal.abort());
        },
      };
    },
  };
}

describeTransport("MCP of the old era on a line", toDoor("line", "legacy"), { describe, test });
describeTransport("MCP of the new era on a line", toDoor("line", "modern"), { describe, test });
describeTransport("MCP of the old era over HTTP", toDoor("http", "legacy"), { describe, test });
describeTransport("MCP of the new era over HTTP", toDoor("http", "modern"), { describe, test });
describeTransport("MCP over HTTP and SSE", toDoor("sse", "legacy"), { describe, test });
