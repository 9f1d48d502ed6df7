import { expect, test } from "vitest";
import { makePlace, type Place } from "./run.ts";

const agent = (name: string) => `---\nname: ${name}\ndescription: Is ${name}\n---\nYou are the ${name}.\n`;
const usage = { input: 1_000, output: 0 };

function makeTree(): Place {
  const ask = (name: string) => ({ calls: [{ tool: "agent", input: { agent: name, prompt: "Do it" } }], usage });
  const delegate = (prompt: string) => ({ tool: "delegate", input: { agent: "leaf", prompt, validator: "judge" } });
  return makePlace(
    {
      "pegboard.yaml": `version: 1
model: scripted:script.json
prices: { "scripted:script.json": { input: 10, output: 0 } }
policy: { rules: [{ tool: agent, approval: preApproved }, { tool: delegate, approval: preApproved }] }
`,
      "agents/top.md": agent("top"),
      "agents/middle.md": agent("middle"),
      "agents/leaf.md": agent("leaf"),
      "agents/judge.md": agent("judge"),
      "script.json": JSON.stringify({
        scripts: [
          { when: { system: "the top." }, turns: [ask("middle"), { calls: [delegate("One")] }, "Wait.", "All done."] },
          { when: { system: "the middle." }, turns: [ask("leaf"), { text: "Middle done.", usage }] },
          { when: { system: "the leaf." }, turns: [{ text: "Leaf done.", usage }, "Leaf done well."] },
          {
            when: { system: "the judge.", prompt: "well" },
            turns: ['{"verdict":"accept"}'],
          },
          { turns: ['{"verdict":"reject","feedback":"Say more."}'] },
        ],
      }),
    },
    { trust: true },
  );
}

test("a run shows who works below it, what each calls, and what each cost", async () => {
  const { code, stdout, stderr } = await makeTree().run("run", "top", "Go");
  expect([code, stdout], stderr).toEqual([0, "All done.\n"]);
  const plain = stderr
    .replaceAll(/\b[\da-f]{8}-[\da-f-]{27}/g, "ID")
    .replaceAll(/task [\da-f]{8}/g, "task ID")
    .replaceAll(/\d+ ms/g, "0 ms");
  expect(plain.trimEnd().split("\n").slice(0, 9)).toEqual([
    '> agent {"agent":"middle","prompt":"Do it"}',
    "  + middle: starts on scripted:script.json",
    '  > middle: agent {"agent":"leaf","prompt":"Do it"}',
    "    + leaf: starts on scripted:script.json",
    "    = leaf: completed · 1 turn, 0 calls · 1,000 + 0 tokens, $0.0100",
    '  < middle: agent (0 ms) Leaf done. (agent "leaf", run ID, 0 ms)',
    "  = middle: completed · 2 turns, 1 call · 3,000 + 0 tokens, $0.0300",
    '< agent (0 ms) Middle done. (agent "middle", run ID, 0 ms)',
    '> delegate {"agent":"leaf","prompt":"One","validator":"judge"}',
  ]);
  for (const line of [
    "  + leaf#2: starts on scripted:script.json",
    "  + judge: starts on scripted:script.json",
    "! not accepted, try 2: Say more.",
    "  = leaf#3: completed · 1 turn, 0 calls · 0 + 0 tokens, $0",
    "= task ID completed after 2 tries · $0.0100",
    '< Task ID, which you gave to agent "leaf"',
  ])
    expect(plain).toContain(`\n${line}`);
  expect(plain).not.toContain("\u001b");
}, 20_000);

test("a chat shows the same, and nothing with --quiet", async () => {
  const { stderr } = await makeTree().runWith({ stdin: "Go\n" }, "chat", "top");
  expect(stderr).toContain("\n    = leaf: completed · 1 turn, 0 calls · 1,000 + 0 tokens, $0.0100\n");
  const quiet = await makeTree().run("run", "top", "Go", "--quiet");
  expect([quiet.code, quiet.stderr]).toEqual([0, ""]);
}, 20_000);
