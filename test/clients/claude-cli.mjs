// Stands in for the program that the Claude Agent SDK drives: instead of a model, the prompt says what is called. Its result
// is everything that it was told.
import { createInterface } from "node:readline";

const waiting = new Map();
let count = 0;

function send(message) {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function request(body) {
  const request_id = String(++count);
  send({ type: "control_request", request_id, request: body });
  return new Promise((resolve) => waiting.set(request_id, resolve));
}

async function askServer(server_name, method, params) {
  const message = { jsonrpc: "2.0", method, params, ...(!method.startsWith("notifications/") && { id: ++count }) };
  const { mcp_response } = await request({ subtype: "mcp_message", server_name, message });
  return mcp_response.result ?? mcp_response;
}

async function work({ server, tool, input }) {
  const clientInfo = { name: "stand-in", version: "1.0.0" };
  await askServer(server, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
  await askServer(server, "notifications/initialized");
  const { tools } = await askServer(server, "tools/list");
  const asked = { subtype: "can_use_tool", tool_name: `mcp__${server}__${tool}`, input, tool_use_id: "use" };
  const permission = await request(asked);
  const result = await askServer(server, "tools/call", { name: tool, arguments: permission.updatedInput });
  return { tools, result };
}

const about = { uuid: "u", session_id: "s", duration_ms: 1, duration_api_ms: 1, num_turns: 1, total_cost_usd: 0 };

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { type, request_id, response, message } = JSON.parse(line);
  if (type === "control_request")
    send({ type: "control_response", response: { subtype: "success", request_id, response: {} } });
  if (type === "control_response") waiting.get(response.request_id)(response.response);
  if (type !== "user") return;
  const result = JSON.stringify(await work(JSON.parse(message.content)));
  send({ type: "result", subtype: "success", is_error: false, result, usage: {}, permission_denials: [], ...about });
  process.exit(0);
});
