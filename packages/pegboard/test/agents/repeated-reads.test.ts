import { defineTool, type RuntimeOptions, type Turn } from "pegboard";
import { expect, test, vi } from "vitest";
import { ofType, stage, textOf } from "./stage.ts";

/** Runs an agent whose first answer makes these calls. */
async function play(calls: readonly [tool: string, input: { path: string }][], options: RuntimeOptions["kernel"]) {
  const execute = vi.fn(({ path }: { path: string }) => `of ${path}`);
  const tool = (name: string, capability: "read" | "write") =>
    defineTool({
      name,
      description: `Can ${name}`,
      input: { type: "object", properties: { path: { type: "string" } }, required: ["path"] } as const,
      capabilities: [capability],
      execute,
    });
  const says: Turn[] = [{ calls: calls.map(([name, input]) => ({ tool: name, input })) }, "Done."];
  const { session, heardBy, log } = stage(
    { clerk: { says } },
    { tools: [tool("look", "read"), tool("put", "write")], ...(options && { kernel: options }) },
  );
  const result = await session.run("clerk", "Look").result;
  return { result, execute, heard: heardBy("clerk").at(-1)!, events: await log(), session };
}

const A = { path: "a" };
const B = { path: "b" };

test("A2-44 the same read twice in one answer is made once, and the second is a notice, on record", async () => {
  const { result, execute, heard, events } = await play(
    [
      ["look", A],
      ["look", B],
      ["look", A],
    ],
    { noticesRepeats: () => true },
  );
  expect(result).toMatchObject({ status: "completed", calls: 3 });
  expect(execute.mock.calls.map(([input]) => input)).toEqual([A, B]);
  expect(heard.match(/of a/g)).toHaveLength(1);
  expect(heard).toContain("Not called again");
  expect(ofType(events, "call-start")).toHaveLength(3);
  expect(ofType(events, "call-end").map(({ data }) => data.ok)).toEqual([true, true, true]);
  expect(ofType(events, "execute-start")).toHaveLength(2);
});

test("A2-44 without the option every call is made", async () => {
  const twice: [string, { path: string }][] = [
    ["look", A],
    ["look", A],
  ];
  expect((await play(twice, {})).execute).toHaveBeenCalledTimes(2);
  expect((await play(twice, undefined)).execute).toHaveBeenCalledTimes(2);
});

test("what may change something is always made, and what reads after it too", async () => {
  const { execute, heard } = await play(
    [
      ["look", A],
      ["put", A],
      ["put", A],
      ["look", A],
    ],
    { noticesRepeats: () => true },
  );
  expect(execute).toHaveBeenCalledTimes(4);
  expect(heard).not.toContain("Not called again");
});

test("whoever goes on from the run reads the notice too", async () => {
  const { result, session } = await play(
    [
      ["look", A],
      ["look", A],
    ],
    { noticesRepeats: () => true },
  );
  const model = { id: "test:echo", structured: false };
  const heard: string[] = [];
  await session.run("clerk", "And?", {
    continue: result.run,
    model: {
      ...model,
      async *stream({ messages }) {
        heard.push(...messages.map(textOf));
        yield { type: "text" as const, text: "Nothing." };
        yield { type: "end" as const, reason: "stop" as const, usage: { input: 1, output: 1 } };
      },
    },
  }).result;
  expect(heard.join("\n")).toContain("Not called again");
});
