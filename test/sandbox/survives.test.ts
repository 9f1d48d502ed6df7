import { spawn } from "node:child_process";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { processesIn } from "../../packages/pegboard/test/node/processes-in.ts";
import { makeHome } from "./home.ts";

const BIN = fileURLToPath(new URL("../../packages/pegboard/bin/pegboard.js", import.meta.url));

const LOOP = "for (;;);";
const HARM = {
  loops: LOOP,
  exits: "process.exit(3);",
  aborts: "process.abort();",
  eats: "const all = []; for (;;) all.push(new Array(100_000).fill(all.length));",
  kills: "process.kill(process.ppid, 'SIGKILL'); process.kill(1, 'SIGKILL'); process.exit(4);",
  pollutes: "Object.prototype.polluted = 1; Array.prototype.map = () => 'stolen'; return 'done';",
};

const toModule = (name: string, body: string) =>
  `export const ${name} = { name: "${name}", description: "d", input: { type: "object" }, approval: "preApproved", timeoutMs: ${name === "loops" ? 300 : 20_000}, execute: () => { ${body} } };\n`;

const modules = Object.fromEntries(
  Object.entries({ ...HARM, neighbour: "return 'here';" }).map(([name, body]) => [
    `tools/${name}.mjs`,
    toModule(name, body),
  ]),
);

describe.each(["auto", "bubblewrap"])("A4-36 a module in mode %s", (mode) => {
  const config = `version: 1\nsandbox: { mode: ${mode}, memory: 128 }\n`;

  test("that does harm fails alone: its neighbour answers, and nothing is changed here", async () => {
    const workspace = await makeHome({ "pegboard.yaml": config, ...modules }).open();
    expect(workspace.diagnostics).toEqual([]);
    const session = workspace.open();
    const codes: Record<string, string | undefined> = {};
    for (const name of Object.keys(HARM)) {
      codes[name] = (await session.call(name)).error?.code;
      expect((await session.call("neighbour")).content).toEqual([{ type: "text", text: "here" }]);
    }
    expect(codes).toEqual({
      loops: "timeout",
      exits: "tool_error",
      aborts: "tool_error",
      eats: "tool_error",
      kills: "tool_error",
      pollutes: undefined,
    });
    expect(["polluted" in {}, [1].map(String)]).toEqual([false, ["1"]]);
  });

  test("does not go on when Pegboard is killed, not even in a busy loop", async () => {
    const home = makeHome({ "pegboard.yaml": config, "tools/stays.mjs": toModule("stays", LOOP) });
    expect(await killWhileItRuns(home, "stays")).toEqual([]);
  });
});

describe("A4-36 a confined command", () => {
  const commands = (command: string) =>
    JSON.stringify({
      version: 1,
      tools: [{ name: "command", description: "d", command: ["/bin/sh", "-c", command], requires_approval: false }],
    });

  test("leaves nothing behind, also what left its process group", async () => {
    const home = makeHome({ "pegboard.yaml": commands("setsid sleep 60 >/dev/null 2>&1 & echo 1") });
    const session = (await home.open()).open();
    expect((await session.call("command")).structured).toBe(1);
    await expect.poll(() => processesIn(home.workspace), { timeout: 5_000 }).toEqual([]);
  });

  test("does not go on when Pegboard is killed", async () => {
    const home = makeHome({ "pegboard.yaml": commands("setsid sleep 60; echo 1") });
    expect(await killWhileItRuns(home, "command")).toEqual([]);
  });
});

/** Kills the command line in the middle of a call. Resolves to the processes of the call that are left a while later. */
async function killWhileItRuns(home: ReturnType<typeof makeHome>, tool: string): Promise<string[]> {
  const env = { PATH: process.env["PATH"], HOME: home.path, PEGBOARD_TRUST: "1" };
  // From elsewhere: what is found in the workspace is then what the call started.
  const child = spawn(process.execPath, [BIN, "-C", home.workspace, "call", tool], { cwd: "/", env, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  await expect.poll(() => processesIn(home.workspace).length, { timeout: 10_000 }).toBeGreaterThan(0);
  await setTimeout(500);
  child.kill("SIGKILL");
  for (let tries = 0; tries < 50 && processesIn(home.workspace).length > 0; tries++) await setTimeout(100);
  return processesIn(home.workspace);
}
