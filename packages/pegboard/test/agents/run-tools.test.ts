import { defineTool } from "pegboard";
import { expect, test } from "vitest";
import { call, stage } from "./stage.ts";

const [look, touch] = ["look", "touch"].map((name) =>
  defineTool({ name, description: `Can ${name}`, input: { type: "object" }, execute: () => `did ${name}` }),
);

test("a run can be given fewer tools than its agent has, never more", async () => {
  const cast = { worker: { tools: ["look"], says: [call("touch"), "Done."] } };
  const { session, requestsOf, heardBy } = stage(cast, { tools: [look!, touch!] });
  await session.run("worker", "Go", { tools: ["look", "touch"] }).result;
  expect(requestsOf("worker")[0]!.tools.map(({ name }) => name)).toEqual(["look"]);
  expect(heardBy("worker").at(-1)).toContain("not among the tools");
});

test("what a run was not given, an agent that it asks does not have either", async () => {
  const cast = {
    boss: { says: [call("agent", { agent: "worker", prompt: "Touch it" }), "Done."] },
    worker: { says: [call("touch"), "I could not."] },
  };
  const { session, heardBy } = stage(cast, { tools: [look!, touch!] });
  await session.run("boss", "Go", { tools: ["agent", "look"] }).result;
  expect(heardBy("worker").at(-1)).toContain("not among the tools");
});

test("an empty list is no tools, and is on record for whoever goes on with the run", async () => {
  const { session, requestsOf, log } = stage({ worker: { says: ["Done."] } }, { tools: [look!] });
  await session.run("worker", "Go", { tools: [] }).result;
  expect(requestsOf("worker")[0]!.tools).toEqual([]);
  expect((await log()).find(({ type }) => type === "run-start")).toMatchObject({ data: { given: { tools: [] } } });
});
