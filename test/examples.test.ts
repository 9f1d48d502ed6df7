import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

const run = promisify(execFile);
const examples = readdirSync("examples", { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

// A model that somebody has chosen for their own work is not asked.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("PEGBOARD_")));

test("there are examples", () => {
  expect(examples).not.toEqual([]);
});

test.each(examples)("the example %s runs and finds itself right", async (name) => {
  const cwd = join("examples", name);
  // A code other than 0, which is how an assertion of the example fails, rejects with what it wrote to stderr.
  const running = run(process.execPath, ["--conditions=pegboard:source", "main.ts"], { cwd, env, timeout: 15_000 });
  await expect(running).resolves.toBeDefined();
});
