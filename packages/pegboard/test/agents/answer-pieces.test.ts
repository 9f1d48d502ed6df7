import { createRuntime, createRedactor, type Model } from "pegboard";
import { expect, test } from "vitest";

const SECRET = "s3cr3t-Value-0123456789";

test("a secret that a model says in two pieces is in none of those that are told, and nothing else is lost", async () => {
  const redactor = createRedactor();
  redactor.add("key", SECRET);
  const model: Model = {
    id: "test:pieces",
    async *stream() {
      yield { type: "reasoning", text: `Not ${SECRET.slice(0, 5)}` };
      yield { type: "reasoning", text: `${SECRET.slice(5)}.` };
      yield { type: "text", text: `It is ${SECRET.slice(0, 9)}` };
      yield { type: "text", text: `${SECRET.slice(9)}, and s3c` };
      yield { type: "end", reason: "stop", usage: { input: 1, output: 1 } };
    },
  };
  const agent = { name: "a", description: "A", instructions: "You answer." };
  const runtime = createRuntime({ redactor, agents: [agent] });
  const run = runtime.open().run("a", "Tell me", { model });
  const told = { text: "", reasoning: "" };
  for await (const event of run) {
    if (event.type !== "model-delta") continue;
    told.text += event.data.text ?? "";
    told.reasoning += event.data.reasoning ?? "";
  }
  expect(JSON.stringify(told)).not.toContain(SECRET);
  expect(told.text).toMatch(/^It is .+, and s3c$/);
  expect(told.reasoning).toMatch(/^Not .+\.$/);
  await runtime.close();
});
