// A first tool: `node --conditions=pegboard:source examples/01-first-tool/main.ts`
import assert from "node:assert/strict";
import { createRuntime, defineTool } from "pegboard";

// A tool says what it takes, as JSON Schema or Zod, and what it touches. `execute` knows the types from the schema.
const shelf = new Map([["tea", 3]]);
const order = defineTool({
  name: "order",
  description: "Orders something for the shelf",
  input: {
    type: "object",
    properties: { item: { type: "string" }, count: { type: "integer", minimum: 1, default: 1 } },
    required: ["item"],
    additionalProperties: false,
  },
  capabilities: ["write"],
  summary: ({ item, count }) => `Order ${count} × ${item}`,
  execute({ item, count }) {
    shelf.set(item, (shelf.get(item) ?? 0) + count);
    return { item, onShelf: shelf.get(item)! };
  },
});

const runtime = createRuntime({ tools: [order] });

// What writes asks first. Here a function answers; in the command line a person does.
const session = runtime.open({
  approver: ({ summary, input }) => {
    const { count } = input as { count: number };
    console.log(`Asked: ${summary}?`);
    return count <= 10 ? { decision: "allow" } : { decision: "deny", note: "ten at most" };
  },
});

console.log(
  "On the wall:",
  session
    .list()
    .map(({ name, approval }) => `${name} (${approval})`)
    .join(", "),
);

const some = await session.call("order", { item: "tea", count: 2 });
console.log("Two more:", some.structured);
assert.deepEqual(some.structured, { item: "tea", onShelf: 5 });

// A call never throws: whatever goes wrong is a result with a code and a message that a model can read.
const many = await session.call("order", { item: "tea", count: 500 });
console.log("Far too many:", many.error?.message);
assert.equal(many.error?.code, "denied");

const wrong = await session.call("order", { itme: "tea", count: 0 });
console.log("A wrong input, which reaches nobody:", wrong.error?.message);
assert.equal(wrong.error?.code, "invalid_input");

assert.equal(shelf.get("tea"), 5);
await runtime.close();
