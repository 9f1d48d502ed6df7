import { describe, expect, it } from "vitest";
import { defineTool } from "../../../src/index.ts";
import { saysTheSame, toOrdinaryCall } from "../../../src/transports/mcp/ordinary-call.ts";
import { ann, danger, echo, envelope, openStage, type Stage } from "./stage.ts";

const list = defineTool({
  name: "list",
  description: "Lists",
  input: { type: "object" },
  output: { type: "array", items: { type: "number" } },
  approval: "preApproved",
  execute: () => [1, 2],
});
const report = defineTool({
  name: "report",
  description: "Reports",
  input: { type: "object" },
  approval: "preApproved",
  execute(_, { progress }) {
    progress("half", { current: 1, total: 2 });
    return "done";
  },
});

const picture = defineTool({
  name: "picture",
  description: "Shows",
  input: { type: "object" },
  approval: "preApproved",
  execute: () => ({ content: [{ type: "image", data: "AAAA", mimeType: "image/png" }], structured: [1] }),
});

/** The same call twice: the short way, and the way of the SDK, on which a name in base64 leads. */
async function callBothWays(stage: Stage, params: { name: string; [key: string]: unknown }, meta: object = {}) {
  const { _meta } = envelope({ elicitation: { form: {} } });
  const message = { jsonrpc: "2.0", id: 7, method: "tools/call", params: { ...params, _meta: { ..._meta, ...meta } } };
  const answers = [params.name, `=?base64?${btoa(params.name)}?=`].map(async (name) => {
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": name,
    };
    const init = { method: "POST", headers, body: JSON.stringify(message) };
    const response = await stage.door.fetch(new Request("http://localhost/mcp", init), ann);
    const text = await response.text();
    const messages = text.startsWith("{")
      ? [JSON.parse(text)]
      : Array.from(text.matchAll(/^data: (.*)$/gm), ([, data]) => JSON.parse(data!));
    return { status: response.status, type: response.headers.get("content-type"), messages };
  });
  return Promise.all(answers);
}

describe("the short way of a call", () => {
  it.each([
    ["a text", { name: "echo", arguments: { text: "hello" } }],
    ["a structure", { name: "list", arguments: {} }],
    ["a picture with a structure", { name: "picture", arguments: {} }],
    ["a failure", { name: "echo", arguments: { text: 1 } }],
    ["a tool that is not there", { name: "nothing", arguments: {} }],
  ])("answers %s as the SDK does", async (_, params) => {
    const stage = openStage({ tools: [echo, list, picture] });
    const [short, long] = await callBothWays(stage, params);
    expect(short).toEqual(long);
    await stage.close();
  });

  it("streams what is reported as the SDK does, and log messages where they are asked for", async () => {
    const stage = openStage({ tools: [report] });
    for (const meta of [{ progressToken: "p" }, { "io.modelcontextprotocol/logLevel": "debug" }, {}]) {
      const [short, long] = await callBothWays(stage, { name: "report", arguments: {} }, meta);
      expect(short).toEqual(long);
      expect(short!.messages).toHaveLength(Object.keys(meta).length + 1);
    }
    await stage.close();
  });

  it("asks for approval as the SDK does", async () => {
    const stage = openStage({ tools: [danger] });
    const [short, long] = await callBothWays(stage, { name: "danger", arguments: { what: "it" } });
    const forms = [short, long].map((answer) => Object.values(answer!.messages[0].result.inputRequests));
    expect(forms[0]).toEqual(forms[1]);
    expect(forms[0]).toHaveLength(1);
    await stage.close();
  });

  it("is not for what is out of the ordinary", () => {
    const { _meta } = envelope();
    const params = { name: "echo", arguments: {}, _meta };
    const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params } as const;
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "echo" };
    const isOrdinary = (changed: object, said = {}) => {
      const call = toOrdinaryCall({ ...message, ...changed }, "modern");
      return call !== undefined && saysTheSame(call, new Headers({ ...headers, ...said }));
    };
    expect(isOrdinary({})).toBe(true);
    expect(isOrdinary({ method: "tools/list" })).toBe(false);
    expect(isOrdinary({ params: { ...params, requestState: "x" } })).toBe(false);
    expect(isOrdinary({ params: { ...params, _meta: {} } })).toBe(false);
    const capabilities = "io.modelcontextprotocol/clientCapabilities";
    expect(isOrdinary({ params: { ...params, _meta: { ..._meta, [capabilities]: { sampling: 1 } } } })).toBe(false);
    const task = "io.modelcontextprotocol/related-task";
    expect(isOrdinary({ params: { ...params, _meta: { ..._meta, [task]: 1 } } })).toBe(false);
    expect(toOrdinaryCall(message, "legacy")).toBeUndefined();
    expect(isOrdinary({}, { "mcp-name": "danger" })).toBe(false);
    expect(isOrdinary({}, { "mcp-method": "tools/list" })).toBe(false);
    expect(isOrdinary({}, { "mcp-protocol-version": "2025-11-25" })).toBe(false);
  });
});
