import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport as InMemoryTransport1 } from "@modelcontextprotocol/sdk/inMemory.js";
import { createRuntime, defineTool, type Session, type SessionOptions } from "pegboard";
import { toMcpServer } from "pegboard/mcp";
import { describe, expect, it } from "vitest";

const HARD = {
  type: "object",
  $defs: {
    node: { type: "object", properties: { next: { $ref: "#/$defs/node" }, value: { type: ["string", "null"] } } },
  },
  properties: {
    tree: { $ref: "#/$defs/node" },
    either: { oneOf: [{ type: "string", format: "email" }, { const: 3 }] },
    pair: { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: { type: "boolean" } },
    "with space": { type: "string", pattern: "^a+$", default: "a", examples: ["aa"] },
  },
  patternProperties: { "^x-": { type: "integer", exclusiveMinimum: 0, multipleOf: 2 } },
  dependentRequired: { either: ["tree"] },
  additionalProperties: { enum: [1, "1", null] },
  required: ["tree"],
  "x-own": { kept: true },
} as const;

const hard = defineTool({
  name: "hard",
  description: "Takes a lot",
  input: HARD,
  approval: "preApproved",
  execute: (input) => ({ input }),
});
const erase = defineTool({
  name: "erase",
  description: "Erases",
  input: { type: "object" },
  approval: "ask",
  execute: () => "erased",
});

function open(options: SessionOptions = {}): Session {
  return createRuntime({ builtins: false, tools: [hard, erase] }).open(options);
}

async function connect(session: Session, client: Client): Promise<Client> {
  const [here, there] = InMemoryTransport.createLinkedPair();
  await toMcpServer(session)!.connect(there);
  await client.connect(here);
  return client;
}

describe("a session as a server of MCP in the same process", () => {
  it("A3-06 tells every word of a schema and carries inputs and results as they are", async () => {
    const client = await connect(open(), new Client({ name: "host", version: "1" }));
    const { tools } = await client.listTools();
    const shown = tools.find(({ name }) => name === "hard");
    expect([shown?.description, shown?.inputSchema]).toEqual(["Takes a lot", HARD]);
    const input = { tree: { next: { value: null } }, either: 3, pair: [1, "b", true], "x-a": 4, "with space": "aaa" };
    const { structuredContent } = await client.callTool({ name: "hard", arguments: input });
    expect(structuredContent).toEqual({ input });
    await client.close();
  });

  it("serves a client of the first SDK, which the Claude Agent SDK is built on", async () => {
    const [here, there] = InMemoryTransport1.createLinkedPair();
    await toMcpServer(open())!.connect(there);
    const client = new Client1({ name: "host", version: "1" });
    await client.connect(here);
    const { tools } = await client.listTools();
    expect(tools.find(({ name }) => name === "hard")?.inputSchema).toEqual(HARD);
    expect(await client.callTool({ name: "hard", arguments: { tree: {} } })).toMatchObject({
      structuredContent: { input: { tree: {} } },
    });
    await client.close();
  });

  it("asks the person at the client what the session waits for", async () => {
    const client = new Client({ name: "host", version: "1" }, { capabilities: { elicitation: { form: {} } } });
    const asked: string[] = [];
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { answer: "allow once" } };
    });
    await connect(open({ approve: "wait" }), client);
    expect(await client.callTool({ name: "erase" })).toMatchObject({ content: [{ type: "text", text: "erased" }] });
    expect(asked).toEqual([expect.stringContaining(`May the tool "erase" run?`)]);
    await client.close();
  });

  it("tells the client when the tools of the session change", async () => {
    const runtime = createRuntime({ builtins: false, tools: [hard, erase] });
    const session = runtime.open();
    let changed = Promise.withResolvers<void>();
    const client = new Client({ name: "host", version: "1" });
    client.setNotificationHandler("notifications/tools/list_changed", () => changed.resolve());
    await connect(session, client);
    const list = async () => (await client.listTools()).tools.map(({ name }) => name);
    const late = { name: "late", description: "Late", input: { type: "object" }, execute: () => "" } as const;
    session.tools.register(late);
    await changed.promise;
    expect(await list()).toEqual(["erase", "hard", "late"]);
    changed = Promise.withResolvers();
    runtime.tools.register({ ...late, name: "later" });
    await changed.promise;
    expect(await list()).toEqual(["erase", "hard", "late", "later"]);
    await client.close();
  });

  it("A3-05 is none where the session has no tools", () => {
    expect(toMcpServer(createRuntime({ builtins: false }).open())).toBeUndefined();
  });
});
