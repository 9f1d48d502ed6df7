import type { Client } from "@modelcontextprotocol/client";
import { describe, expect, it, vi } from "vitest";
import { defineTool } from "../../../src/index.ts";
import type { McpResources } from "../../../src/transports/mcp/resources.ts";
import { ann, connectClient, echo, openStage } from "./stage.ts";

/** Longer than the SDK is kept for a connection on which nothing happens. */
const quiet = () => new Promise((resolve) => setTimeout(resolve, 40));

const report = defineTool({
  name: "report",
  description: "Reports",
  input: { type: "object" },
  approval: "preApproved",
  execute(_, { progress }) {
    progress("half");
    return "done";
  },
});

describe("a client of the old era that was quiet for a while", () => {
  it("is answered as before, also several requests at once", async () => {
    const stage = openStage();
    const client = await connectClient(stage);
    for (let round = 0; round < 2; round++) {
      await quiet();
      const answers = await Promise.all([client.listTools(), client.listResources(), client.ping()]);
      expect(answers[0].tools.map(({ name }) => name)).toEqual(["danger", "echo"]);
    }
    await quiet();
    const { content } = await client.callTool({ name: "echo", arguments: { text: "still there" } });
    expect(content).toEqual([{ type: "text", text: "still there" }]);
    await client.close();
    await stage.close();
  });

  it("is asked for approval in the middle of a call", async () => {
    const stage = openStage();
    const client = await connectClient(stage, { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", async () => ({
      action: "accept",
      content: { answer: "allow once" },
    }));
    await quiet();
    const { content } = await client.callTool({ name: "danger", arguments: { what: "the log" } });
    expect(content).toEqual([{ type: "text", text: "the log is gone" }]);
    await client.close();
    await stage.close();
  });

  it("is asked what a tool wants to know", async () => {
    const ask = defineTool({
      ...echo,
      execute: async (_, { client }) => JSON.stringify(await client!.ask("roots", "roots/list")),
    });
    const stage = openStage({ tools: [ask] });
    const client = await connectClient(stage, { capabilities: { roots: {} } });
    client.setRequestHandler("roots/list", async () => ({ roots: [{ uri: "file:///home" }] }));
    await quiet();
    const { content } = await client.callTool({ name: "echo", arguments: { text: "" } });
    expect(content).toEqual([{ type: "text", text: `{"roots":[{"uri":"file:///home"}]}` }]);
    await client.close();
    await stage.close();
  });

  it("is told of lists that change, once", async () => {
    const stage = openStage();
    const told = vi.fn();
    const client = await connectClient(stage, { listChanged: { tools: { onChanged: told, autoRefresh: false } } });
    await quiet();
    stage.desk.runtime.tools.register([{ ...echo, name: "later" }]);
    stage.desk.sessions(ann)[0]!.tools.register([{ ...echo, name: "own" }]);
    await vi.waitUntil(() => told.mock.calls.length > 0);
    await quiet();
    expect(told).toHaveBeenCalledTimes(1);
    await client.close();
    await stage.close();
  });

  it("hears what tools log, from the level on that it has set", async () => {
    const stage = openStage({ tools: [report] });
    const client = await connectClient(stage);
    const heard = listen(client);
    await quiet();
    await client.callTool({ name: "report" });
    expect(heard).toEqual(["half"]);
    await client.setLoggingLevel("error");
    await quiet();
    await client.callTool({ name: "report" });
    expect(heard).toEqual(["half"]);
    await client.close();
    await stage.close();
  });

  it("is told when what it has subscribed to changes", async () => {
    let change!: () => void;
    const resources: McpResources = {
      list: async () => [],
      read: async () => undefined,
      watch(_session, uri, changed) {
        if (uri === "test://clock") change = changed;
        return { [Symbol.dispose]() {} };
      },
    };
    const stage = openStage({}, { resources: [resources] });
    const client = await connectClient(stage);
    const told = vi.fn();
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => told(params.uri));
    await client.subscribeResource({ uri: "test://clock" });
    await quiet();
    change();
    await vi.waitUntil(() => told.mock.calls.length > 0);
    expect(told).toHaveBeenCalledWith("test://clock");
    await client.close();
    await stage.close();
  });

  it("is known by its last handshake", async () => {
    const stage = openStage();
    const { ask, connection, closed } = openRawLine(stage.door);
    const greet = (protocolVersion: string) =>
      ask("initialize", { protocolVersion, capabilities: {}, clientInfo: { name: "raw", version: "1" } });
    expect((await greet("2025-06-18")).result.protocolVersion).toBe("2025-06-18");
    await quiet();
    expect((await greet("2024-11-05")).result.protocolVersion).toBe("2024-11-05");
    await quiet();
    expect((await ask("tools/list")).result.tools).toHaveLength(2);
    expect(connection.open).toBe(0);
    await quiet();
    await connection.close();
    expect(closed).toHaveBeenCalledTimes(1);
    expect(stage.desk.sessions(ann)).toEqual([]);
    await stage.close();
  });
});

function listen(client: Client): unknown[] {
  const heard: unknown[] = [];
  client.setNotificationHandler("notifications/message", ({ params }) => void heard.push(params.data));
  return heard;
}

function openRawLine(door: ReturnType<typeof openStage>["door"]) {
  const waiting = new Map<number, (message: any) => void>();
  const closed = vi.fn();
  const connection = door.connect(ann, {
    async send(text) {
      const message = JSON.parse(text) as { id: number };
      waiting.get(message.id)?.(message);
    },
    close: closed,
  });
  let last = 0;
  const ask = (method: string, params: object = {}): Promise<any> =>
    new Promise((resolve) => {
      waiting.set(++last, resolve);
      connection.receive(JSON.stringify({ jsonrpc: "2.0", id: last, method, params }));
    });
  return { ask, connection, closed };
}
