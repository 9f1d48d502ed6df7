import { Client, SSEClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it } from "vitest";
import { createSseDoor } from "../../../src/transports/mcp/sse.ts";
import { ann, ben, openStage } from "./stage.ts";

const HEADERS = { "content-type": "application/json" };

describe("the transport of HTTP and SSE", () => {
  it("serves a client that is asked for approval", async () => {
    const stage = openStage();
    const sse = createSseDoor(stage.door);
    const client = new Client({ name: "old", version: "1" }, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept",
      content: { answer: "allow once" },
    }));
    const fetch = (url: string | URL, init?: RequestInit) => sse.fetch(new Request(url, init), ann);
    await client.connect(
      new SSEClientTransport(new URL("http://localhost/sse"), { fetch, eventSourceInit: { fetch } }),
    );
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["danger", "echo"]);
    const result = await client.callTool({ name: "danger", arguments: { what: "it" } });
    expect(result.content).toEqual([{ type: "text", text: "it is gone" }]);
    await client.close();
    await stage.close();
  });

  it("closes the session with the stream, and knows nobody else's", async () => {
    const stage = openStage();
    const sse = createSseDoor(stage.door);
    const control = new AbortController();
    const opened = await sse.fetch(new Request("http://localhost/sse", { signal: control.signal }), ann);
    const first = await opened.body!.getReader().read();
    const path = /data: (.*)\n/.exec(new TextDecoder().decode(first.value))![1]!;
    const ping = { method: "POST", headers: HEADERS, body: `{"jsonrpc":"2.0","id":1,"method":"ping"}` };
    const post = (principal = ann) => sse.fetch(new Request(new URL(path, "http://localhost"), ping), principal);
    expect((await post(ben)).status).toBe(404);
    expect((await post()).status).toBe(202);
    const [session] = stage.desk.sessions(ann);
    control.abort();
    await session!.closed;
    expect((await post()).status).toBe(404);
    await stage.close();
  });
});
