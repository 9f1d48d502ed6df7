import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { makePlace } from "./run.ts";

test("the demo tells its story offline, without a key or colours, and leaves nothing behind", async () => {
  const place = makePlace();
  const { code, stdout, stderr } = await place.runWith(
    { env: { TMPDIR: place.folder, PEGBOARD_DATA: place.path("data") } },
    "demo",
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const said of [
    "Hello, Ada!",
    "42",
    "Sent to ada@example.com",
    "blocked",
    "pegboard.yaml:17",
    `unknown key "c"`,
    "approval-request",
    "model: scripted:scripts/packer.yaml",
    "result_schema:",
    "! not what result_schema asks for: once more",
    `< pack {"umbrella":false,"items":["sunglasses","a light coat"]}`,
    "< Sunglasses and a light coat. No umbrella.",
    "+ outline: starts on scripted:scripts/dinner.yaml",
    "? planner > sender: ",
    "! not accepted, try 2: It does not say when.",
    "= writer#2: completed · 1 turn, 0 calls · 80 + 9 tokens, $0.0004",
    "completed after 2 tries",
    "< The invitation is written and the reminder is out.",
    "pegboard init",
  ]) {
    expect(stdout).toContain(said);
  }
  expect(stdout).not.toContain("\u001b");
  expect(stdout.split("\n").length).toBeGreaterThan(50);
  // Node itself keeps compiled code beside the temporary files.
  expect(readdirSync(place.folder).filter((name) => name !== "node-compile-cache")).toEqual([]);
});

test("the demo sums itself up for programs", async () => {
  const { code, stdout } = await makePlace().run("demo", "--json");
  const { ok, steps } = JSON.parse(stdout) as { ok: boolean; steps: { step: string; ok: boolean }[] };
  expect({ code, ok }).toEqual({ code: 0, ok: true });
  expect(steps.filter((step) => !step.ok)).toEqual([]);
  expect(steps.map(({ step }) => step)).toEqual(
    expect.arrayContaining([
      "list",
      "greet",
      "math__add",
      "weather__forecast",
      "vfs_read",
      "ask",
      "blocked",
      "invalid_input",
      "log",
      "agent",
      "agents",
    ]),
  );
});
