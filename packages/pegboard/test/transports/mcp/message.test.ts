import { describe, expect, it } from "vitest";
import { parseMessage } from "../../../src/transports/mcp/message.ts";

const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

describe("a message", () => {
  it.each([
    ["a request", ping],
    ["a request whose id is empty", { ...ping, id: "" }],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["a result", { jsonrpc: "2.0", id: 1, result: {} }],
    ["an error", { jsonrpc: "2.0", id: 1, error: { code: 1, message: "no" } }],
  ])("is handed on when it is %s", (_, message) => {
    expect(parseMessage(JSON.stringify(message))).toEqual({ message });
  });

  it.each([
    ["{nope", -32700, undefined],
    ["[]", -32600, undefined],
    [JSON.stringify([ping]), -32600, undefined],
    ["42", -32600, undefined],
    ["null", -32600, undefined],
    [`{"id":1,"method":"ping"}`, -32600, 1],
    [`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, undefined],
    [`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, undefined],
    [`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, undefined],
    [`{"jsonrpc":"2.0","id":"a","method":5}`, -32600, "a"],
    [`{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, -32602, 1],
    [`{"jsonrpc":"2.0","id":1,"method":"ping","params":null}`, -32602, 1],
    [`{"jsonrpc":"2.0","id":1,"method":"${"m".repeat(300)}"}`, -32601, 1],
  ])("%s is answered with %i, and its id where it can be read", (text, code, id) => {
    const { reply } = parseMessage(text);
    expect(reply?.error.code).toBe(code);
    expect(reply?.id).toBe(id);
  });

  it.each([
    [`{"jsonrpc":"2.0","method":"a","params":1}`],
    [`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}}`],
  ])("%s is dropped: nobody waits for an answer", (text) => {
    expect(parseMessage(text)).toEqual({});
  });
});
