import { once } from "node:events";
import { describe, expect, test } from "vitest";
import type { Result } from "../../src/index.ts";
import { CONFIG, finish, makePlace, type Place, toolModule } from "./run.ts";

const OWN = `${CONFIG}toolsets:\n  own: { module: ./lib/odd.ts, trusted: true }\n`;

/** The tool `odd` in a process of its own, and `own__odd` in the process of the command. */
function withTool(definition: string): Place {
  const tools = toolModule({ odd: `capabilities: ["read"], ${definition}` });
  return makePlace({ "pegboard.yaml": OWN, "tools/odd.ts": tools, "lib/odd.ts": tools }, { trust: true });
}

describe.each([
  { where: "the same process", tool: "own__odd", noise: "", late: "warning: " },
  { where: "a process of its own", tool: "odd", noise: "tools/odd.ts: ", late: "tools/odd.ts: " },
])("a tool in $where", ({ tool, noise, late }) => {
  test("cannot dirty standard output", async () => {
    const place = withTool(`execute: () => { console.log("noise"); process.stdout.write("more\\n"); return "clean"; }`);
    const stderr = `${noise}noise\n${noise}more\n`;
    expect(await place.run("call", tool)).toEqual({ code: 0, stdout: "clean\n", stderr });
  });

  test("cannot keep the command from ending", async () => {
    const place = withTool(
      `execute: async () => { setInterval(() => {}, 500); (await import("node:net")).createServer().listen(0); return "left open"; }`,
    );
    expect(await place.run("call", tool)).toEqual({ code: 0, stdout: "left open\n", stderr: "" });
  });

  test("cannot change the exit code or print a stack trace by failing later", async () => {
    const place = withTool(
      `execute: () => { setTimeout(() => { throw new Error("too\\nlate"); }, 1); void Promise.reject(new Error("unseen")); return "fine"; }`,
    );
    const { code, stdout, stderr } = await place.run("call", tool);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "fine\n" });
    expect(stderr.trimEnd().split("\n").sort()).toEqual([
      `${late}a tool failed outside of its call: too\\nlate`,
      `${late}a tool failed outside of its call: unseen`,
    ]);
  });

  test("that can never answer ends as a failure, not as silence", async () => {
    const { code, stderr } = await withTool(`timeoutMs: null, execute: () => new Promise(() => {})`).run("call", tool);
    expect(code).toBe(1);
    expect(stderr).toContain(`"${tool}" was waiting for something that can no longer happen`);
  });
});

test("a long result reaches a slow pipe whole", async () => {
  const place = withTool(`execute: () => "x".repeat(1_000_000) + "end"`);
  const child = place.start({}, "call", "odd");
  child.stdout!.pause();
  setTimeout(() => child.stdout!.resume(), 500);
  const { code, stdout } = await finish(child);
  expect({ code, length: stdout.length, end: stdout.slice(-4) }).toEqual({ code: 0, length: 1_000_004, end: "end\n" });
});

test("a reader that goes away is no error", async () => {
  const place = withTool(`execute: () => "x".repeat(1_000_000)`);
  const child = place.start({}, "call", "odd");
  let stderr = "";
  child.stderr!.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdout!.once("data", () => child.stdout!.destroy());
  const [code] = (await once(child, "close")) as [number];
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
});

test.each(["SIGINT", "SIGTERM"] as const)(
  "%s cancels the call, shows the result and exits with 130",
  async (signal) => {
    const place = withTool(
      `execute: (_, { progress }) => { progress("started"); return new Promise((resolve) => setTimeout(resolve, 60_000)); }`,
    );
    const child = place.start({}, "call", "odd", "--json");
    child.stderr!.once("data", () => child.kill(signal));
    const { code, stdout } = await finish(child);
    expect(code).toBe(130);
    expect((JSON.parse(stdout) as Result).error).toMatchObject({ code: "cancelled" });
    expect((await place.run("log", "--type", "call-end")).stdout).toContain("failed: cancelled");
  },
);
