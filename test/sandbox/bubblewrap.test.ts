import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import type { Json } from "@pegboard/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeSandbox } from "../../packages/pegboard/src/node/index.ts";
import { makeHome } from "./home.ts";

// Reads questions and answers each with its value or the code of its error.
const PROBE = `
const fs = require("fs"), net = require("net"), dns = require("dns/promises");
const attempt = async (work) => { try { return await work(); } catch (error) { return error.code ?? error.message; } };
const questions = {
  read: (file) => fs.readFileSync(file, "utf8"),
  list: (folder) => fs.readdirSync(folder),
  writable: (file) => (fs.accessSync(file, fs.constants.W_OK), "writable"),
  write: (file) => (fs.writeFileSync(file, "x"), "written"),
  connect: (to) => new Promise((resolve, reject) => net.connect(to).on("connect", function () { this.destroy(); resolve("connected"); }).on("error", reject)),
  lookup: (name) => dns.lookup(name).then(() => "found"),
  environment: () => process.env,
  processes: () => fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).length,
  environments: () => fs.readdirSync("/proc").filter((name) => /^\\d+$/.test(name)).map((pid) => fs.readFileSync("/proc/" + pid + "/environ", "utf8")).join(),
  kill: (pid) => process.kill(pid, 0),
  capabilities: () => /CapEff:\\s*(\\w+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1],
  privileges: () => /NoNewPrivs:\\s*(\\w+)/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1],
  allocate: (mebibytes) => Buffer.alloc(mebibytes * 1024 * 1024, 1).length,
};
const answer = async (asked) => Object.fromEntries(await Promise.all(Object.entries(asked).map(async ([name, [question, argument]]) => [name, await attempt(() => questions[question](argument))])));
`;

const COMMAND = `${PROBE}let text = ""; process.stdin.on("data", (chunk) => (text += chunk)).on("end", async () => console.log(JSON.stringify(await answer(JSON.parse(text)))));`;
const MODULE = `import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);\n${PROBE}export const probe = { name: "probe", description: "d", input: { type: "object" }, approval: "preApproved", execute: answer };\n`;

const config = (sandbox: object) =>
  JSON.stringify({
    version: 1,
    sandbox,
    tools: [{ name: "command", description: "d", command: [process.execPath, "probe.cjs"], requires_approval: false }],
  });

let server: Server;
let port: number;

beforeAll(async () => {
  server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as { port: number }).port;
  process.env["HOST_KEY"] = "sk-secret";
});

afterAll(() => {
  server.close();
  delete process.env["HOST_KEY"];
});

async function ask(
  tool: "command" | "probe",
  sandbox: object,
  asked: (home: ReturnType<typeof makeHome>) => Record<string, readonly [string, Json?]>,
) {
  const home = makeHome({ "pegboard.yaml": config(sandbox), "probe.cjs": COMMAND, "tools/probe.mjs": MODULE });
  const workspace = await home.open();
  expect(workspace.diagnostics).toEqual([]);
  const result = await workspace.open().call(tool, asked(home) as unknown as Json);
  expect(result.error).toBeUndefined();
  return { home, answers: result.structured as Record<string, Json> };
}

test("this machine can confine programs: without that the suite shows nothing", async () => {
  expect(await describeSandbox({ mode: "bubblewrap", required: true, network: false })).not.toHaveProperty("missing");
});

describe.each(["command", "probe"] as const)("A4-36 a confined %s", (tool) => {
  const mode = tool === "command" ? "auto" : "bubblewrap";

  test("has no network, unless the settings give it one", async () => {
    const questions = () =>
      ({
        loopback: ["connect", port],
        host: ["connect", { host: "1.1.1.1", port: 53 }],
        name: ["lookup", "example.com"],
      }) as const;
    const { answers } = await ask(tool, { mode }, questions);
    expect(answers).toEqual({
      loopback: "ECONNREFUSED",
      host: "ENETUNREACH",
      name: expect.stringMatching(/EAI_AGAIN|ENOTFOUND/),
    });
    expect((await ask(tool, { mode, network: true }, () => ({ loopback: ["connect", port] }))).answers).toEqual({
      loopback: "connected",
    });
  });

  test("cannot set what the kernel does", async () => {
    const { answers } = await ask(tool, { mode }, () => ({
      dump: ["writable", "/proc/sys/kernel/core_pattern"],
      trigger: ["writable", "/proc/sysrq-trigger"],
      reboot: ["writable", "/proc/sys/kernel/ctrl-alt-del"],
    }));
    for (const answer of Object.values(answers)) expect(answer).toMatch(/^(EROFS|EACCES|ENOENT)$/);
  });

  test("writes to its workspace and nowhere else, and not to what decides what runs", async () => {
    const { home, answers } = await ask(tool, { mode }, ({ path, workspace }) => ({
      own: ["write", join(workspace, "new.txt")],
      temporary: ["write", "/tmp/pegboard-confined"],
      beside: ["write", join(path, "work", "beside.txt")],
      system: ["write", "/etc/pegboard-test"],
      usr: ["write", "/usr/pegboard-test"],
      config: ["write", join(workspace, "pegboard.yaml")],
      tools: ["write", join(workspace, "tools", "more.mjs")],
      hook: ["write", join(workspace, ".git", "hooks", "pre-commit")],
      git: ["write", join(workspace, ".git", "config")],
      index: ["write", join(workspace, ".git", "index")],
    }));
    expect(answers).toEqual({
      own: "written",
      temporary: "written",
      beside: "written",
      system: "EROFS",
      usr: "EROFS",
      config: "EROFS",
      tools: "EROFS",
      hook: "EROFS",
      git: "EROFS",
      index: "written",
    });
    expect(readFileSync(join(home.workspace, "new.txt"), "utf8")).toBe("x");
    // Home and temporary folders are empty ones of its own: what is written there is gone with it.
    expect([existsSync(join(home.path, "work", "beside.txt")), existsSync("/tmp/pegboard-confined")]).toEqual([
      false,
      false,
    ]);
  });

  test("sees no secret: not in the environment, not in files, not in other processes", async () => {
    mkdirSync("/run/pegboard-test", { recursive: true });
    const { answers } = await ask(tool, { mode }, ({ path, workspace }) => ({
      key: ["read", join(path, ".ssh", "id_ed25519")],
      cloud: ["read", join(path, ".aws", "credentials")],
      notes: ["read", join(path, "notes.txt")],
      policy: ["read", join(path, ".config", "pegboard", "policy.yaml")],
      log: ["list", join(workspace, ".pegboard")],
      sockets: ["list", "/run"],
      environment: ["environment"],
      processes: ["processes"],
      environments: ["environments"],
      parent: ["kill", process.pid],
      capabilities: ["capabilities"],
      privileges: ["privileges"],
    }));
    rmSync("/run/pegboard-test", { recursive: true });
    const { environment, environments, processes, log, ...rest } = answers;
    expect(rest).toEqual({
      key: "ENOENT",
      cloud: "ENOENT",
      notes: "ENOENT",
      policy: "ENOENT",
      sockets: [],
      parent: "ESRCH",
      capabilities: "0000000000000000",
      privileges: "1",
    });
    expect(JSON.stringify([environment, environments])).not.toContain("sk-secret");
    expect(log).toEqual([]);
    expect(processes).toBeLessThanOrEqual(3);
  });

  test("gets no more memory than the settings give it", async () => {
    const { answers } = await ask(tool, { mode, memory: tool === "command" ? 1_024 : 64 }, () => ({
      little: ["allocate", 100],
      much: ["allocate", 1_500],
    }));
    expect(answers).toEqual({ little: 100 * 1024 * 1024, much: expect.stringMatching(/alloc/i) });
  });
});

test("commands see the person's settings of git, and not the credentials beside them", async () => {
  const home = makeHome({
    "pegboard.yaml": `version: 1\ntoolsets: { shell: { rules: [{ pattern: cat, approval: preApproved, unsafe: true }] } }\n`,
  });
  home.write(".config/git/config", "[user]");
  home.write(".config/git/credentials", "https://me:token@example.com");
  home.write(".git-credentials", "https://me:token@example.com");
  const session = (await home.open()).open({ approve: "all" });
  const read = async (file: string) =>
    (await session.call("shell", { command: `cat ${join(home.path, file)}` })).structured;
  expect(await read(".config/git/config")).toMatchObject({ exitCode: 0, stdout: "[user]" });
  expect(await read(".config/git/credentials")).toMatchObject({ stdout: "" });
  expect(await read(".git-credentials")).toMatchObject({ exitCode: 1, stdout: "" });
});

test("a confined package is found where it is installed, although what lies beside it is hidden", async () => {
  const home = makeHome({
    "pegboard.yaml": `version: 1\nsandbox: { mode: bubblewrap }\ntoolsets:\n  solo: { package: solo, approval: preApproved }\n`,
    ".pegboard/packages/solo/node_modules/solo/package.json": `{"name":"solo","type":"module","main":"index.js"}`,
    ".pegboard/packages/solo/node_modules/solo/index.js": `import { readdirSync } from "node:fs";\nexport default { list: { name: "list", description: "d", input: { type: "object" }, execute: () => readdirSync(".pegboard") } };`,
  });
  const workspace = await home.open();
  expect(workspace.diagnostics).toEqual([]);
  expect((await workspace.open().call("solo__list")).structured).toEqual(["packages"]);
});

test("a module in mode auto sees no other process, and keeps files and network", async () => {
  const { answers } = await ask("probe", { mode: "auto" }, ({ path }) => ({
    processes: ["processes"],
    environments: ["environments"],
    parent: ["kill", process.pid],
    network: ["connect", port],
    file: ["read", join(path, "notes.txt")],
  }));
  const { processes, environments, ...rest } = answers;
  expect(processes).toBeLessThanOrEqual(3);
  expect(environments).not.toContain("sk-secret");
  expect(rest).toEqual({ parent: "ESRCH", network: "connected", file: "private" });
});

test("a program that is a link into a folder that would be empty can be run confined", async () => {
  const home = makeHome({});
  const target = home.write("opt/real/program.sh", "#!/bin/sh\necho '{\"found\": true}'\n");
  chmodSync(target, 0o755);
  mkdirSync(join(home.path, "links"));
  symlinkSync(target, join(home.path, "links", "program"));
  const command = JSON.stringify([join(home.path, "links", "program")]);
  home.write(
    "work/project/pegboard.yaml",
    `version: 1\ntools: [{ name: linked, description: d, command: ${command} }]\n`,
  );
  const workspace = await home.open();
  expect(await workspace.open({ approve: "all" }).call("linked", {})).toMatchObject({
    ok: true,
    structured: { found: true },
  });
});
