import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { toMcpServer } from "pegboard/mcp";
import { expect, it, onTestFinished } from "vitest";
import {
  attachMcpServer,
  type CallClient,
  createMcpPool,
  createRuntime,
  definePlugin,
  defineTool,
  type Runtime,
} from "../../src/index.ts";
import { readTools } from "../../src/sources/mcp/read-tools.ts";
import { startServer } from "../../src/node/index.ts";

const TOKEN = "a-token-of-a-test-that-nobody-guesses-0000";

const greet = defineTool({
  name: "greet",
  description: "Asks for a name, and greets",
  input: { type: "object", properties: {} },
  async execute(_, { client }) {
    client!.log("info", "about to ask");
    const { content } = (await client!.ask("name", "elicitation/create", { message: "Who are you?" })) as {
      content: { name: string };
    };
    return `Hello, ${content.name}!`;
  },
});

const draw = defineTool({
  name: "draw",
  description: "Draws",
  input: { type: "object" },
  execute: () => ({ content: [{ type: "text", text: "drawn" }], meta: { kind: "acme.chart" } }),
});

const page = defineTool({
  name: "page",
  description: "A page, and what is known of it",
  input: { type: "object", properties: {} },
  execute: () => ({ content: [{ type: "text", text: "Once upon a time" }], structured: { page: 1 } }),
});

/** A runtime that has nothing of its own, before a server of ours. */
async function openGateway(): Promise<Runtime> {
  const rules = [{ tool: "*", approval: "preApproved" as const }];
  const upstream = createRuntime({ builtins: false, policy: { rules } });
  const plugin = definePlugin({
    name: "host",
    version: "1.0.0",
    tools: [greet, draw, page],
    prompts: [{ name: "letter", description: "A letter", get: ({ to }) => `Write to ${to}.` }],
    resources: [{ name: "menu", uri: "host://menu", mimeType: "text/plain", read: () => "soup" }],
  });
  await upstream.plugins.add({ plugin });
  const server = await startServer(upstream, { token: TOKEN, port: 0, bareNames: true });
  const gateway = createRuntime({ builtins: false, policy: { rules } });
  const pool = createMcpPool();
  const headers = { authorization: `Bearer ${TOKEN}` };
  const reached = { url: `${server.url}/mcp`, type: "http", headers } as const;
  const { prompts, resources } = gateway;
  const attached = attachMcpServer(gateway.tools, "up", reached, { pool, prompts, resources });
  onTestFinished(async () => {
    attached[Symbol.dispose]();
    await gateway.close();
    await pool[Symbol.asyncDispose]();
    await server.close(AbortSignal.abort());
    await upstream.close();
  });
  await attached.ready;
  expect(attached.problem).toBeUndefined();
  return gateway;
}

function createPerson(methods: CallClient["methods"]): CallClient & { readonly heard: unknown[] } {
  const heard: unknown[] = [];
  return {
    methods,
    heard,
    async ask(_key, _method, params) {
      heard.push(params);
      return { action: "accept", content: { name: "Ann" } };
    },
    log: (_level, message) => void heard.push(message),
    comesBack: false,
    detach: () => false,
  };
}

it("hands on structure that the text does not tell", async () => {
  const session = (await openGateway()).open();
  expect(await session.call("up__page", {})).toEqual({
    ok: true,
    content: [{ type: "text", text: "Once upon a time" }],
    structured: { page: 1 },
    meta: {},
  });
});

it("passes what a server asks back on to the client of the call, and what it logs", async () => {
  const session = (await openGateway()).open();
  const client = createPerson(["elicitation/create"]);
  const { content } = await session.call("up__greet", {}, { client });
  expect(content).toEqual([{ type: "text", text: "Hello, Ann!" }]);
  expect(client.heard).toEqual(["about to ask", { message: "Who are you?" }]);
});

it("passes what a server says beside its answer on to the client of the call", async () => {
  const [here, there] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "host", version: "1" });
  await Promise.all([toMcpServer((await openGateway()).open())!.connect(there), client.connect(here)]);
  expect(await client.callTool({ name: "up__draw", arguments: {} })).toMatchObject({
    content: [{ type: "text", text: "drawn" }],
    _meta: { "pegboard/kind": "acme.chart" },
  });
  await client.close();
});

it("tells what the client would have to be able to do, when it cannot be asked back", async () => {
  const session = (await openGateway()).open();
  const { error } = await session.call("up__greet", {}, { client: createPerson([]) });
  expect(error).toMatchObject({ code: "unavailable", details: { requiredCapabilities: { elicitation: {} } } });
});

it("puts the prompts and resources of a server on the shelves that it is given", async () => {
  const { prompts, resources } = await openGateway();
  const signal = AbortSignal.timeout(5_000);
  expect(await prompts.find("up:letter").item.get({ to: "Ben" }, { signal })).toEqual([
    { role: "user", content: { type: "text", text: "Write to Ben." } },
  ]);
  expect(await resources.find("up:menu").item.read("host://menu", {}, signal)).toEqual([
    { uri: "host://menu", mimeType: "text/plain", text: "soup" },
  ]);
});

it.each(["object", "array", "number", undefined])(
  "leaves a tool out whose header stands for a value of type %s",
  async (type) => {
    const inputSchema = { type: "object", properties: { place: { ...(type && { type }), "x-mcp-header": "Place" } } };
    const { tools, warnings } = await readTools(async () => ({ tools: [{ name: "go", inputSchema }] }));
    expect(tools).toEqual([]);
    expect(warnings[0]).toContain("none of string, integer, boolean");
  },
);
