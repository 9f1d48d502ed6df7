// An agent of a markdown file, offline: `node --conditions=pegboard:source examples/03-agent/main.ts`
// On a real model: put its key into the environment and name it, behind `main.ts` or as PEGBOARD_MODEL.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { memoryStore } from "pegboard";
import { openWorkspace } from "pegboard/node";

const folder = import.meta.dirname;
const model = process.argv[2] ?? process.env["PEGBOARD_MODEL"];

// Everything of this folder and nothing of your own settings; the log is gone with the process.
const workspace = await openWorkspace(folder, {
  trust: true,
  home: join(folder, "nobody"),
  store: memoryStore(),
  remember: false,
});
assert.deepEqual(workspace.diagnostics, []);

// What an agent does asks like anything else. Here a function answers; in the command line a person does.
const questions: string[] = [];
const session = workspace.open({
  approver: ({ summary, input }) => {
    questions.push(summary);
    const { cents } = input as { cents: number };
    return cents <= 2_000 ? { decision: "allow" } : { decision: "deny", note: "twenty at most" };
  },
});

const letter = await readFile(join(folder, "letter.txt"));
const run = session.run("support", "Answer the letter.", {
  attachments: [{ name: "letter.txt", data: letter.toString("base64") }],
  budget: { usd: 0.1 },
  ...(model !== undefined && { model }),
});

// A run can be watched while it works, with the runs that it starts: the prompt tool is one.
const done: string[] = [];
for await (const { type, data, chain = [] } of run) {
  if (type === "run-start") console.log(`${chain.join(" > ")} works on ${data.model}`);
  if (type === "transcript-change") console.log(`${chain.join(" > ")} is told that something is missing`);
  if (type === "call-end")
    console.log(`${chain.join(" > ")} called ${data.tool}: ${data.ok ? "ok" : data.error?.code}`);
  if (type === "call-end" && data.ok) done.push(data.tool);
}

const result = await run.result;
console.log("The answer:", result.structured);
console.log(`${result.turns} turns, ${result.usage.input + result.usage.output} tokens, $${result.cost.toFixed(4)}`);

// These hold on every model: a run whose tools were not called, or whose answer has another form, does not complete.
assert.equal(result.status, "completed", result.error?.message);
assert.ok(done.includes("classify") && done.includes("find_order"));
const { reply, refunded } = result.structured as { reply: string; refunded: boolean };
assert.equal(typeof reply, "string");
assert.ok(!refunded || questions.length > 0, "money was given back, and nobody was asked");

if (model === undefined) {
  assert.deepEqual(done, ["classify", "find_order", "refund"]);
  assert.deepEqual(questions, ["Refund 19.50 for order A7"]);
  assert.deepEqual([result.turns, result.usage], [5, { input: 1_850, output: 100 }]);
  assert.equal(refunded, true);
}
await workspace.close();
