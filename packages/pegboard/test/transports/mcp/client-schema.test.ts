import { describe, expect, it } from "vitest";
import { toClientSchema } from "../../../src/transports/mcp/client-schema.ts";

describe("a schema for clients", () => {
  it("A3-06: is the author's own object where every client takes it", () => {
    const schema = {
      type: "object",
      description: "What to send",
      properties: {
        to: { type: "string", pattern: "@", description: "An address" },
        times: { type: "integer", minimum: 1, maximum: 5, default: 1 },
        kind: { enum: ["a", "b"] },
        parts: { type: "array", items: { type: "object", properties: { x: { type: "number" } }, required: ["x"] } },
      },
      required: ["to"],
      additionalProperties: false,
    } as const;
    expect(toClientSchema(schema)).toBe(schema);
  });

  it("says that it is an object and what it holds", () => {
    expect(toClientSchema({})).toEqual({ type: "object", properties: {} });
  });

  it("has no truth values in the place of schemas, but where all take them", () => {
    const schema = {
      type: "object",
      properties: { any: true, never: false, list: { type: "array", items: true, default: [true] } },
      additionalProperties: true,
    } as const;
    expect(toClientSchema(schema)).toEqual({
      type: "object",
      properties: { any: {}, never: { not: {} }, list: { type: "array", items: {}, default: [true] } },
      additionalProperties: true,
    });
  });

  it("has no choice at its root: what all branches need is needed", () => {
    const schema = {
      type: "object",
      properties: { id: { type: "string" } },
      oneOf: [
        { properties: { kind: { const: "a" }, text: { type: "string" } }, required: ["kind", "text"] },
        { properties: { kind: { const: "b" }, count: { type: "number" } }, required: ["kind"] },
      ],
    } as const;
    expect(toClientSchema(schema)).toEqual({
      type: "object",
      properties: {
        kind: { anyOf: [{ const: "a" }, { const: "b" }] },
        text: { type: "string" },
        count: { type: "number" },
        id: { type: "string" },
      },
      required: ["kind"],
    });
  });

  it("names its dialect only where it uses words of it", () => {
    const $schema = "https://json-schema.org/draft/2020-12/schema";
    expect(toClientSchema({ $schema, type: "object", properties: {} })).toEqual({ type: "object", properties: {} });
    const own = { $schema, type: "object", properties: {}, $defs: { a: { type: "string" } }, allOf: [{}] } as const;
    expect(toClientSchema(own)).toBe(own);
  });

  it("keeps a property that is called __proto__", () => {
    const schema = { type: "object", properties: JSON.parse(`{"__proto__": true}`) };
    expect(Object.keys(toClientSchema(schema)["properties"] as object)).toEqual(["__proto__"]);
  });
});
