import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { CONFIG, makePlace, toolModule } from "./run.ts";

const FILES = {
  "pegboard.yaml": CONFIG,
  "tools/own.ts": toolModule({
    pay: `description: "Pays\\u001b[2J\\nInput\\n    {}", capabilities: ["write"], summary: ({ to }) => "Pay " + to, execute: ({ to }) => "paid " + to`,
    look: `capabilities: ["read"], execute: () => "seen"`,
    twice: `capabilities: ["read"], execute: async (_, { call }) => { await call("pay", { to: "a" }); return (await call("pay", { to: "a" })).content; }`,
  }),
};

const workspace = () => makePlace(FILES, { trust: true });
const PROMPT = "Allow it? [y/i/t/a/n/d] ";

test("A1-10: --approve ask without a terminal is refused before anything is called", async () => {
  const place = workspace();
  for (const tool of ["pay", "look"]) {
    const { code, stdout, stderr } = await place.run("call", tool, "to=ann", "--approve", "ask");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(/--approve is "ask", but there is no terminal to ask on\. Choose "all", "none" or "wait"/);
  }
  expect(existsSync(place.path(".pegboard"))).toBe(false);
});

test("A1-11: without a terminal, what asks is denied with a reason and a hint, and what is pre-approved runs", async () => {
  const place = workspace();
  const { code, stdout, stderr } = await place.run("call", "pay", "to=ann");
  expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
  expect(stderr).toContain(`error (denied): Tool "pay" needs approval (it can: write) and nobody is there to ask`);
  expect(stderr).toContain("--approve all");
  expect(stderr).toContain("- { tool: pay, approval: preApproved }");
  expect(await place.run("call", "look")).toMatchObject({ code: 0, stdout: "seen\n" });
});

test("--approve all approves, --approve none denies, and so does the environment", async () => {
  const place = workspace();
  expect(await place.run("--approve", "all", "call", "pay", "to=ann")).toEqual({
    code: 0,
    stdout: "paid ann\n",
    stderr: "",
  });
  expect(await place.onTerminal([], "call", "pay", "to=ann", "--approve", "none")).toMatchObject({ code: 3 });
  expect(await place.runWith({ env: { PEGBOARD_APPROVE: "all" } }, "call", "pay", "to=ann")).toMatchObject({ code: 0 });
});

test("a terminal is asked, with the whole input and nothing that it would obey, and yes holds once", async () => {
  const place = workspace();
  const { code, stdout } = await place.onTerminal([[PROMPT, "y\n"]], "call", "pay", "to=\u202eann", "--no-color");
  expect(code).toBe(0);
  expect(stdout.replaceAll("\r", "")).toContain(`? pay asks for approval
What it would do
    Pay \\u{202e}ann
Why you are asked
    it can: write
About the tool
    Pays\\u{1b}[2J
    Input
        {}
Input
    {
      "to": "\\u{202e}ann"
    }
`);
  expect(stdout).toContain("paid \\u{202e}ann");
  expect(existsSync(`${place.home}/policy.yaml`)).toBe(false);
});

test("no and no answer at all deny; a wrong key is asked again", async () => {
  const place = workspace();
  expect(
    await place.onTerminal(
      [
        [PROMPT, "q\n"],
        [PROMPT, "n\n"],
      ],
      "call",
      "pay",
      "to=a",
    ),
  ).toMatchObject({ code: 3, stdout: expect.stringContaining(`"q" is none of y, i, t, a, n, d`) });
  expect(await place.onTerminal([[PROMPT, "\u0004"]], "call", "pay", "to=a")).toMatchObject({
    code: 3,
    stdout: expect.stringContaining("denied: no answer"),
  });
});

test("an answer for the same input covers the next call of the session", async () => {
  const { code, stdout } = await workspace().onTerminal([[PROMPT, "i\n"]], "call", "twice", "--no-color");
  expect({ code, prompts: stdout.split(PROMPT).length - 1 }).toEqual({ code: 0, prompts: 1 });
});

test("always and never are kept as rules of the person, for later commands", async () => {
  const place = workspace();
  await place.onTerminal([[PROMPT, "a\n"]], "call", "pay", "to=a");
  expect(await place.run("call", "pay", "to=b")).toMatchObject({ code: 0, stdout: "paid b\n" });
  const other = workspace();
  expect(await other.onTerminal([[PROMPT, "d\n"]], "call", "pay", "to=a")).toMatchObject({ code: 3 });
  expect(await other.run("call", "pay", "to=a", "--approve", "all")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("error (blocked)"),
  });
});

test("Ctrl-C at the question cancels the call", async () => {
  const { code, stdout } = await workspace().onTerminal([[PROMPT, "\u0003"]], "call", "pay", "to=a");
  expect(code).toBe(130);
  expect(stdout).toContain("cancelled while it waited for approval");
});
