import { defineTool, fail } from "pegboard";

const orders = new Map([["A7", { item: "a glass teapot", cents: 1_950 }]]);

export const findOrder = defineTool({
  name: "find_order",
  description: "Look at an order",
  input: {
    type: "object",
    properties: { id: { type: "string", description: "The number of the order, such as A7" } },
    required: ["id"],
    additionalProperties: false,
  },
  capabilities: ["read"],
  execute: ({ id }) => orders.get(id) ?? fail("tool_error", `There is no order ${id}`),
});

export const refund = defineTool({
  name: "refund",
  description: "Give money back for an order",
  input: {
    type: "object",
    properties: { id: { type: "string" }, cents: { type: "integer", minimum: 1 } },
    required: ["id", "cents"],
    additionalProperties: false,
  },
  // What writes asks first, also when a model calls it.
  capabilities: ["write"],
  summary: ({ id, cents }) => `Refund ${(cents / 100).toFixed(2)} for order ${id}`,
  execute: ({ id, cents }) => `Refunded ${(cents / 100).toFixed(2)} for order ${id}`,
});
