import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { makeHome } from "./home.ts";

const BIN = fileURLToPath(new URL("../../packages/pegboard/bin/pegboard.js", import.meta.url));

/** Runs the command where bubblewrap is not to be found, or as somebody without rights. */
function run(
  home: ReturnType<typeof makeHome>,
  argv: readonly string[],
  options: { PATH?: string; uid?: number } = {},
) {
  const { PATH = "/nowhere", uid } = options;
  const env = { PATH, HOME: home.path, PEGBOARD_TRUST: "1" };
  const { status, stdout, stderr } = spawnSync(process.execPath, [BIN, "-C", home.workspace, ...argv], {
    encoding: "utf8",
    env,
    ...(uid && { uid, gid: uid }),
  });
  return { status, stdout, stderr };
}

const files = (sandbox: string) => ({
  "pegboard.yaml": `version: 1\nsandbox: ${sandbox}\ntools:\n  - { name: command, description: d, command: ["/bin/sh", "-c", "touch ran; echo 1"], requires_approval: false }\n`,
  "tools/module.mjs": `import { writeFileSync } from "node:fs";\nwriteFileSync("ran", "");\nexport const module = { name: "module", description: "d", input: { type: "object" }, approval: "preApproved", execute: () => 1 };\n`,
});

describe("A4-36 without bubblewrap", () => {
  test("required: true runs nothing at all", () => {
    const home = makeHome(files("{ required: true }"));
    for (const tool of ["command", "module"]) {
      const { status, stdout, stderr } = run(home, ["call", tool]);
      expect(status).toBe(1);
      expect(stdout + stderr).toContain("The sandbox is required and cannot be had: bubblewrap is not installed");
    }
    expect(existsSync(join(home.workspace, "ran"))).toBe(false);
  });

  test("required: false runs them unconfined, and says so", () => {
    const home = makeHome(files("{ mode: bubblewrap }"));
    for (const tool of ["command", "module"])
      expect(run(home, ["call", tool])).toMatchObject({ status: 0, stdout: "1\n" });
    expect(run(home, ["doctor"]).stdout).toContain("commands not confined (bubblewrap is not installed)");
  });

  test("a mode that confines nothing cannot be required", () => {
    const home = makeHome(files("{ mode: process, required: true }"));
    const { status, stderr } = run(home, ["call", "command"]);
    expect(status).toBe(2);
    expect(stderr).toContain("/sandbox/mode");
  });
});

test.runIf(process.getuid?.() === 0)("somebody without rights is confined as well", () => {
  const home = makeHome(files("{ required: true, mode: bubblewrap }"));
  spawnSync("chmod", ["-R", "a+rwX", home.path]);
  for (const tool of ["command", "module"]) {
    expect(run(home, ["call", tool], { PATH: process.env["PATH"]!, uid: 65_534 })).toEqual({
      status: 0,
      stdout: "1\n",
      stderr: "",
    });
  }
});

test.runIf(process.getuid?.() === 0)("somebody without rights gets at most 512 processes at once", () => {
  const forks = (count: number) => `i=0; while [ $i -lt ${count} ]; do sleep 2 & i=$((i+1)); done; echo 1`;
  const tool = (name: string, count: number) => ({
    name,
    description: "d",
    command: ["/bin/sh", "-c", forks(count)],
    requires_approval: false,
  });
  const home = makeHome({
    "pegboard.yaml": JSON.stringify({
      version: 1,
      sandbox: { required: true },
      tools: [tool("many", 400), tool("too_many", 700)],
    }),
  });
  spawnSync("chmod", ["-R", "a+rwX", home.path]);
  const as = { PATH: process.env["PATH"]!, uid: 65_534 };
  expect(run(home, ["call", "many"], as)).toMatchObject({ status: 0, stdout: "1\n" });
  expect(run(home, ["call", "too_many"], as)).toMatchObject({ status: 1, stderr: expect.stringMatching(/fork/i) });
});
