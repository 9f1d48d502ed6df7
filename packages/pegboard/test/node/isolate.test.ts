import type { ToolContext } from "@pegboard/contract";
import { expect, onTestFinished, test } from "vitest";
import { minimalEnvironment } from "../../src/node/environment.ts";
import type { Recipe } from "../../src/node/load-recipe.ts";
import { openChild } from "../../src/node/sandbox/child-channel.ts";
import { Isolate } from "../../src/node/sandbox/isolate.ts";
import { makeFolder } from "./workspace-folder.ts";

const context = {
  callId: "c",
  session: { id: "s", cwd: "/", env: {}, metadata: {} },
  signal: new AbortController().signal,
  progress() {},
  call: () => Promise.reject(new Error("nobody is there to call")),
} satisfies ToolContext;

/** The tools of a module in a process that ends after so long without work. */
async function isolate(idleMs: number, tools: Readonly<Record<string, string>>) {
  const lines = Object.entries(tools).map(
    ([name, rest]) =>
      `export const ${name} = { name: "${name}", description: "d", input: { type: "object" }, ${rest} };`,
  );
  const folder = makeFolder({ "m.mjs": `import { writeSync } from "node:fs";\n${lines.join("\n")}\n` });
  const env = minimalEnvironment();
  const made = new Isolate({
    label: "m.mjs",
    start: async (listener) => openChild({ wrap: (argv) => argv, env, cwd: folder.path, heapMiB: 128 }, listener),
    output() {},
    changed() {},
    idleMs,
  });
  onTestFinished(() => made.close());
  const recipe: Recipe = { kind: "file", file: `${folder.path}/m.mjs` };
  const { tools: sent } = await made.load(recipe);
  const tool = (name: string) => ({ recipe, index: sent.findIndex((one) => one.name === name) });
  return {
    call: async (name: string) => ((await made.execute(tool(name), {}, context)) as { structured: unknown }).structured,
    open: (name: string) => made.open(tool(name), context.session),
  };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const PID = "execute: () => process.pid";

test("a process ends when nothing is to be done, and is started anew when something is", async () => {
  const { call } = await isolate(200, { pid: PID });
  const first = await call("pid");
  expect(await call("pid")).toBe(first);
  await wait(700);
  expect(await call("pid")).not.toBe(first);
});

test("a process with an instance of a session does not end", async () => {
  const { call, open } = await isolate(200, { pid: PID, held: "open: () => ({ execute: () => 1 })" });
  const first = await call("pid");
  const instance = await open("held");
  await wait(700);
  expect(await call("pid")).toBe(first);
  await instance[Symbol.asyncDispose]?.();
  await wait(700);
  expect(await call("pid")).not.toBe(first);
});

test.each([
  ["what is no message", `writeSync(3, "\\u0004\\0\\0\\0oops")`],
  ["a message that is too big", `writeSync(3, "\\u00ff\\u00ff\\u00ff\\u007f")`],
])("a process that sends %s is ended, and the next call has another", async (_, statement) => {
  const { call } = await isolate(60_000, {
    garbles: `execute: () => { ${statement}; return new Promise(() => {}); }`,
    pid: PID,
  });
  await expect(call("garbles")).rejects.toMatchObject({
    code: "tool_error",
    message: expect.stringContaining("it sent something that is no message"),
  });
  expect(await call("pid")).toBeTypeOf("number");
});

test("messages that nobody asked for change nothing", async () => {
  const forge = (message: string) =>
    `const text = JSON.stringify(${message}); writeSync(3, Buffer.concat([Buffer.from(Uint32Array.of(text.length).buffer), Buffer.from(text)]))`;
  const { call } = await isolate(60_000, {
    forges: `execute: () => { ${["null", "5", `{ type: "reply", id: 999, value: 1 }`, `{ type: "alive", id: "x" }`, `{ type: "nonsense" }`, `{ type: "call", id: 1, of: 999, tool: "x" }`].map((message) => `{ ${forge(message)} }`).join(" ")} return 7; }`,
  });
  expect(await call("forges")).toBe(7);
});
