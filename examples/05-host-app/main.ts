// One board in an application of yours, for three kinds of clients, offline:
// `node --conditions=pegboard:source examples/05-host-app/main.ts`
import assert from "node:assert/strict";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { generateText, isStepCount, type ModelMessage } from "ai";
import { createRuntime, defineTool } from "pegboard";
import { toAiSdkTools } from "pegboard/ai-sdk";
import { createClient } from "pegboard/client";
import { createFetchHandler } from "pegboard/http";
import { toMcpServer } from "pegboard/mcp";
import { scriptedChat } from "./model.ts";

// The tools of a shop. Whoever calls them, there is one policy, one set of limits, one log.
const shipped: string[] = [];
const findOrder = defineTool({
  name: "find_order",
  description: "Finds an order by its number",
  input: { type: "object", properties: { order: { type: "string", pattern: "^[A-Z]\\d$" } }, required: ["order"] },
  capabilities: ["read"],
  execute: ({ order }) => ({ order, paid: true, shipped: shipped.includes(order) }),
});
const ship = defineTool({
  name: "ship",
  description: "Ships an order",
  input: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
  capabilities: ["write"],
  summary: ({ order }) => `Ship order ${order}`,
  execute({ order }) {
    shipped.push(order);
    return `Order ${order} is on its way`;
  },
});
const closeShop = defineTool({
  name: "close_shop",
  description: "Closes the shop for good",
  input: { type: "object" },
  capabilities: ["write"],
  execute: () => assert.fail("nobody may do this"),
});
const runtime = createRuntime({
  builtins: false,
  tools: [findOrder, ship, closeShop],
  policy: {
    rules: [
      { tool: "find_order", approval: "preApproved" },
      { tool: "close_shop", approval: "blocked" },
    ],
  },
});

// 1. The AI SDK: its tools are the session's, and its user is asked where the policy asks.
const chat = runtime.open({ client: "chat" });
const model = scriptedChat([
  { tool: "find_order", input: { order: "A7" } },
  { tool: "ship", input: { order: "A7" } },
]);
const messages: ModelMessage[] = [{ role: "user", content: "Where is my order A7? Send it." }];
const asking = await generateText({ model, messages, stopWhen: isStepCount(5), ...toAiSdkTools(chat) });
const request = asking.content.find((part) => part.type === "tool-approval-request");
console.log("The user is asked:", request?.reason);
assert.match(request?.reason ?? "", /^Ship order A7/);
assert.deepEqual(shipped, []);

messages.push(...asking.response.messages, {
  role: "tool",
  content: [{ type: "tool-approval-response", approvalId: request!.approvalId, approved: true }],
});
const { text } = await generateText({ model, messages, stopWhen: isStepCount(5), ...toAiSdkTools(chat) });
console.log("The model says:", text);
assert.deepEqual(shipped, ["A7"]);

// 2. MCP in this process. The Claude Agent SDK takes the same server: `{ type: "sdk", name: "shop", instance: server }`.
const desk = runtime.open({ client: "mcp", approve: "wait" });
const server = toMcpServer(desk, { name: "shop" })!;
const [here, there] = InMemoryTransport.createLinkedPair();
const mcp = new Client({ name: "host", version: "1.0.0" }, { capabilities: { elicitation: { form: {} } } });
mcp.setRequestHandler("elicitation/create", ({ params }) => {
  console.log("The person at the client is asked:", params.message.split("\n")[1]);
  return { action: "accept", content: { answer: "allow once" } };
});
await server.connect(there);
await mcp.connect(here);
const { tools } = await mcp.listTools();
assert.deepEqual(
  tools.map(({ name }) => name),
  ["find_order", "ship"],
);
assert.deepEqual(tools[0]?.inputSchema, findOrder.input);
await mcp.callTool({ name: "ship", arguments: { order: "B8" } });
assert.deepEqual(shipped, ["A7", "B8"]);
await mcp.close();

// 3. HTTP in the web framework of the host, which knows `Request` and `Response`; here a function of one line.
const token = crypto.randomUUID() + crypto.randomUUID();
const doors = createFetchHandler(runtime, { token, base: "/tools", hosts: ["shop.example"] });
const host = (asked: Request) =>
  new URL(asked.url).pathname.startsWith("/tools/") ? doors.fetch(asked) : new Response("Welcome to the shop");
assert.equal(await (await host(new Request("https://shop.example/"))).text(), "Welcome to the shop");
assert.equal((await host(new Request("https://shop.example/tools/health"))).status, 401);

const client = createClient({ url: "https://shop.example/tools", token, fetch: host });
const remote = await client.open();
const call = remote.call(
  "ship",
  { order: "C9" },
  {
    onEvent({ type, data }) {
      if (type !== "approval-request") return;
      console.log("The page asks:", data.summary);
      void remote.answer(data.id, { decision: "deny", note: "the lorry is full" });
    },
  },
);
const { error } = await call;
console.log("The page is told:", error?.message);
assert.equal(error?.code, "denied");
assert.deepEqual(shipped, ["A7", "B8"]);

// One log tells what ran, and who allowed it.
const ran = await runtime.store.read({ type: "execute-start" });
const allowed = ran.map(({ type, data }) => (type === "execute-start" ? `${data.tool}: ${data.by}` : type));
console.log("In the log:", allowed);
assert.deepEqual(allowed, ["find_order: rule", "ship: the user, asked by the AI SDK", "ship: answer"]);
await doors.close();
await runtime.close();
