import { SSEClientTransport, StreamableHTTPClientTransport, type Transport } from "@modelcontextprotocol/client";
import { describe, test } from "vitest";
import { describeTransport, type TransportDoor } from "../../../src/testing/index.ts";
import { createDesk } from "../../../src/transports/desk.ts";
import { createMcpDoor, type McpDoor } from "../../../src/transports/mcp/door.ts";
import { createSseDoor } from "../../../src/transports/mcp/sse.ts";
import { connectKitClient } from "./kit-client.ts";
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
      const kit = await connectKitClient(transport, era, approve);
      // The stream for what happens between requests is opened after the handshake.
      if (way === "http" && era === "legacy") await new Promise((resolve) => setTimeout(resolve, 50));
      return {
        ...kit,
        ...(nonsense && { sendNonsense: nonsense }),
        async close() {
          await kit.close();
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
