// Two plugins: programs and an agent of a `plugin.json`, and a module with a tool and hooks. Offline:
// `node --conditions=pegboard:source examples/04-plugin/main.ts`
import assert from "node:assert/strict";
import { join } from "node:path";
import { memoryStore } from "pegboard";
import { openWorkspace } from "pegboard/node";

const folder = import.meta.dirname;

// Everything of this folder and nothing of your own settings; the log is gone with the process.
const workspace = await openWorkspace(folder, {
  trust: true,
  home: join(folder, "nobody"),
  store: memoryStore(),
  remember: false,
});
assert.deepEqual(workspace.diagnostics, []);

for (const { name, version, status, components } of workspace.plugins.list())
  console.log(
    `${name} ${version} is ${status}: ${components.map(({ kind, name: part }) => `${kind} ${part}`).join(", ")}`,
  );
assert.deepEqual(
  workspace.plugins.list().map(({ name, status }) => [name, status]),
  [
    ["desk", "healthy"],
    ["stock", "healthy"],
  ],
);

const questions: string[] = [];
const session = workspace.open({
  approver({ tool, input }) {
    questions.push(`${tool} ${JSON.stringify(input)}`);
    return { decision: "allow" };
  },
});

// A tool of the module that calls one of the programs.
const cheapest = await session.call("desk__cheapest", { word: "sea" });
console.log("The cheapest:", cheapest.content);
assert.deepEqual(cheapest.content, [{ type: "text", text: "A Year at Sea, 18" }]);

// Only the agent that a tool is for may call it.
const stranger = workspace.open({ agent: { name: "stranger" }, approve: "all" });
assert.equal((await stranger.call("stock__reserve", { id: "b1", copies: 1 })).error?.code, "agent_mismatch");

// The agent of the plugin: the hook refuses thirty copies, and two are asked about.
questions.length = 0;
const result = await session.run("stock/clerk", "Two copies of the cheaper book about the sea, please.").result;
console.log("The clerk:", result.text);
assert.equal(result.text, "Two copies of A Year at Sea are yours. (2 set aside today)");
assert.deepEqual(questions, ['stock__reserve {"id":"b2","copies":2}']);

// What a plugin brought goes with it, at once.
await workspace.plugins.disable("desk");
assert.ok(!session.list().some(({ name }) => name.startsWith("desk__")));
await workspace.close();
