import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ApprovalRequest } from "../../src/index.ts";
import { processesIn } from "./processes-in.ts";
import { type Folder, makeFolder } from "./workspace-folder.ts";

const tool = (name: string, rest: string) =>
  `export const ${name} = { name: "${name}", description: "d", input: { type: "object" }, approval: "preApproved", ${rest} };\n`;
const PID = tool("pid", "execute: () => process.pid");

describe("tools of modules", () => {
  test("run in a process of their own, one for each module; a trusted one runs here", async () => {
    const config = `version: 1
sandbox: { mode: process }
toolsets:
  a: { module: ./lib/pid.mjs }
  b: { module: ./lib/pid.mjs, tools: [pid] }
  own: { module: ./lib/own.mjs, trusted: true }
tools:
  - { name: host, description: d, module: ./lib/pid.mjs, function: handler, requires_approval: false }
  - { name: here, description: d, module: ./lib/own.mjs, function: handler, requires_approval: false, trusted: true }
`;
    const module = `${PID}export const handler = () => process.pid;`;
    const folder = makeFolder({
      "pegboard.yaml": config,
      "lib/pid.mjs": module,
      "lib/own.mjs": module,
      "tools/other.mjs": PID,
    });
    const session = (await folder.open()).open();
    const pids = await Promise.all(
      ["a__pid", "b__pid", "host", "own__pid", "here", "pid"].map(
        async (name) => (await session.call(name)).structured,
      ),
    );
    const [a, b, host, own, here, other] = pids;
    expect([b, host]).toEqual([a, a]);
    expect([own, here]).toEqual([process.pid, process.pid]);
    expect(new Set([a, other, process.pid]).size).toBe(3);
  });

  test("see their call, tell progress, call others under the same policy, and hear of the end", async () => {
    const folder = makeFolder({
      "tools/caller.mjs": tool(
        "caller",
        `execute: async (input, ctx) => { ctx.progress("half", { current: 1, total: 2 }); const [ok, no] = await Promise.all([ctx.call("inner", { n: 2 }), ctx.call("risky", {})]); return { call: ctx.callId, session: ctx.session.id, cwd: ctx.session.cwd, frozen: Object.isFrozen(ctx), inner: ok.structured, risky: no.error.code }; }`,
      ),
      "tools/inner.mjs":
        tool("inner", "execute: ({ n }) => n * 2") +
        tool("risky", "execute: () => 1").replace(`approval: "preApproved", `, ""),
      "tools/waits.mjs": tool(
        "waits",
        `execute: (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve(console.log("heard", signal.reason.name))))`,
      ),
    });
    const heard: string[] = [];
    const workspace = await folder.open({ toolOutput: (source, text) => heard.push(`${source}: ${text}`) });
    const session = workspace.open({ id: "s1" });
    expect((await session.call("caller", {}, { id: "c1" })).structured).toEqual({
      call: "c1",
      session: "s1",
      cwd: folder.path,
      frozen: true,
      inner: 4,
      risky: "denied",
    });
    const waiting = session.call("waits", {}, { id: "c2" });
    await new Promise((resolve) => setTimeout(resolve, 200));
    session.cancel("c2");
    expect((await waiting).error?.code).toBe("cancelled");
    await expect.poll(() => heard).toEqual(["tools/waits.mjs: heard PegboardError\n"]);
    await session.close();
    const events = await Array.fromAsync(session.events());
    expect(
      events.filter(({ call, type }) => call === "c1" && type === "call-progress").map(({ data }) => data),
    ).toEqual([{ message: "half", current: 1, total: 2 }]);
    expect(events.filter(({ type, parent }) => type === "call-end" && parent === "c1")).toHaveLength(2);
  });

  test("decide about approval, sum up and check their input by their own code", async () => {
    const folder = makeFolder({
      "tools/own.ts": `import { defineTool } from "pegboard";
import * as z from "${import.meta.resolve("zod")}";
export const pay = defineTool({
  name: "pay", description: "Pays",
  input: z.object({ amount: z.number().refine((n) => n !== 13, "not thirteen"), when: z.string().default("2020-01-01").transform((text) => new Date(text)) }),
  output: z.object({ year: z.number().max(2100) }),
  approval: ({ amount }) => amount > 10,
  summary: ({ amount }) => "Pays " + amount,
  execute: ({ when }) => ({ year: when.getFullYear() }),
});
`,
    });
    const asked: ApprovalRequest[] = [];
    const workspace = await folder.open({ approver: (request) => (asked.push(request), { decision: "allow" }) });
    const session = workspace.open();
    expect((await session.call("pay", { amount: 5, when: "2026-05-05" })).structured).toEqual({ year: 2026 });
    expect(asked).toEqual([]);
    expect((await session.call("pay", { amount: 20 })).structured).toEqual({ year: 2020 });
    expect(asked).toMatchObject([{ summary: "Pays 20" }]);
    expect((await session.call("pay", { amount: "x" })).error?.code).toBe("invalid_input");
    expect((await session.call("pay", { amount: 13 })).error).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("not thirteen"),
    });
    expect((await session.call("pay", { amount: 1, when: "3000-01-01" })).error?.code).toBe("invalid_output");
  });

  test("see of the environment what is on the list and what is set for them", async () => {
    process.env["HOST_KEY"] = "sk-secret";
    try {
      const module = tool(
        "env",
        "execute: () => ({ host: process.env.HOST_KEY, own: process.env.OWN, path: process.env.PATH })",
      );
      const config =
        'version: 1\ntoolsets:\n  with: { module: ./m.mjs, env: { OWN: "${HOST_KEY}!" } }\n  without: { module: ./m.mjs }\n';
      const session = (await makeFolder({ "pegboard.yaml": config, "m.mjs": module }).open()).open();
      expect((await session.call("with__env")).structured).toEqual({ own: "sk-secret!", path: process.env["PATH"] });
      expect((await session.call("without__env")).structured).toEqual({ path: process.env["PATH"] });
    } finally {
      delete process.env["HOST_KEY"];
    }
  });

  test("keep the variables of their module from call to call", async () => {
    const folder = makeFolder({ "tools/count.mjs": `let calls = 0;\n${tool("count", "execute: () => ++calls")}` });
    const session = (await folder.open()).open();
    expect([(await session.call("count")).structured, (await session.call("count")).structured]).toEqual([1, 2]);
  });
});

describe.each(["process", "worker"])("A4-36 a process that ends, in mode %s,", (mode) => {
  const config = (rest = "") => `version: 1\nsandbox: { mode: ${mode}${rest} }\n`;

  test("fails the calls that are under way in it, leaves all others alone, and is there again for the next", async () => {
    const folder = makeFolder({
      "pegboard.yaml": config(),
      "tools/dies.mjs":
        tool("exits", "execute: () => process.exit(3)") +
        tool("slow", "execute: () => new Promise((resolve) => setTimeout(resolve, 60_000))") +
        tool("fine", "execute: () => 1"),
      "tools/other.mjs": tool("other", "execute: () => new Promise((resolve) => setTimeout(() => resolve(2), 500))"),
    });
    const session = (await folder.open()).open();
    expect((await session.call("exits")).error).toEqual({
      code: "tool_error",
      message: "The process of tools/dies.mjs ended: it ended with exit code 3",
      retryable: false,
    });
    const [slow, other] = [session.call("slow"), session.call("other")];
    await new Promise((resolve) => setTimeout(resolve, 200));
    const results = await Promise.all([session.call("exits"), slow, other]);
    expect(results.map(({ error, structured }) => error?.code ?? structured)).toEqual([
      "interrupted",
      "interrupted",
      2,
    ]);
    expect((await session.call("fine")).structured).toBe(1);
  });

  test("because its memory is used up is an error like any other", async () => {
    const folder = makeFolder({
      "pegboard.yaml": config(", memory: 64"),
      "tools/eats.mjs": tool(
        "eats",
        "execute: () => { const all = []; for (;;) all.push(new Array(100_000).fill({})); }",
      ),
      "tools/other.mjs": tool("other", "execute: () => 1"),
    });
    const session = (await folder.open({ toolOutput() {} })).open();
    const eating = session.call("eats");
    expect((await session.call("other")).structured).toBe(1);
    expect((await eating).error).toMatchObject({
      code: "tool_error",
      message: expect.stringContaining("out of memory"),
    });
  });

  test("because a session's tool broke it opens that tool anew", async () => {
    const module = `let made = 0;\nexport const state = { name: "state", description: "d", input: { type: "object" }, approval: "preApproved", open: () => { const id = ++made; let calls = 0; return { execute: ({ die }) => die ? process.exit(1) : [id, ++calls] }; } };\n`;
    const session = (await makeFolder({ "pegboard.yaml": config(), "tools/state.mjs": module }).open()).open();
    expect((await session.call("state")).structured).toEqual([1, 1]);
    expect((await session.call("state")).structured).toEqual([1, 2]);
    expect((await session.call("state", { die: true })).ok).toBe(false);
    expect((await session.call("state")).structured).toEqual([1, 1]);
  });

  test("when it is loaded is a problem of its file alone", async () => {
    const workspace = await makeFolder({
      "pegboard.yaml": config(),
      "tools/a.mjs": "process.exit(4);",
      "tools/b.mjs": tool("fine", "execute: () => 1"),
    }).open();
    expect(workspace.diagnostics).toMatchObject([
      { code: "not_loaded", message: expect.stringMatching(/^tools\/a\.mjs was not loaded: .*exit code 4/) },
    ]);
    expect((await workspace.open().call("fine")).structured).toBe(1);
  });
});

describe("what is remembered of a module", () => {
  const files = (folder: { path: string }) => readdirSync(join(folder.path, ".pegboard", "cache"));
  /** Code that leaves a mark beside the workspace whenever it runs. */
  const marking = (folder: Folder, text: string) =>
    `import { appendFileSync } from "node:fs";\nappendFileSync(${JSON.stringify(markOf(folder))}, "x");\n${text}`;
  const markOf = ({ path }: Folder) => join(path, "..", "ran");

  test("lists its tools without running it, until it changes", async () => {
    const folder = makeFolder();
    folder.write("tools/a.mjs", marking(folder, tool("one", "execute: () => 1")));
    const ran = () => readFileSync(markOf(folder), "utf8").length;
    const names = async () => (await folder.open()).tools.names().filter((name) => ["one", "two"].includes(name));
    expect([await names(), ran()]).toEqual([["one"], 1]);
    expect([await names(), ran()]).toEqual([["one"], 1]);
    expect((await (await folder.open()).open().call("one")).structured).toBe(1);
    expect(ran()).toBe(2);
    folder.write("tools/a.mjs", marking(folder, tool("two", "execute: () => 2")));
    expect([await names(), ran()]).toEqual([["two"], 3]);
  });

  test("is not believed: a call is refused when the code says something else, and the list is mended", async () => {
    const folder = makeFolder({ "tools/a.mjs": tool("one", "execute: () => 1").replace("preApproved", "ask") });
    await (await folder.open()).close();
    const file = join(folder.path, ".pegboard", "cache", files(folder)[0]!);
    writeFileSync(file, readFileSync(file, "utf8").replace(`"approval":"ask"`, `"approval":"preApproved"`));
    const workspace = await folder.open();
    const session = workspace.open();
    const approval = () => session.list().find(({ name }) => name === "one")?.approval;
    expect(approval()).toBe("preApproved");
    expect((await session.call("one")).error).toMatchObject({ code: "unavailable", retryable: true });
    await expect.poll(approval).toBe("ask");
    expect((await session.call("one")).error?.code).toBe("denied");
    expect((await Array.fromAsync(closed(session))).filter(({ type }) => type === "execute-start")).toEqual([]);
  });

  test("is nothing when the code says something else each time", async () => {
    const folder = makeFolder({
      "tools/a.mjs": tool("one", "execute: () => 1").replace(`"d"`, `"at " + performance.now()`),
    });
    await (await folder.open()).close();
    const second = await folder.open();
    expect((await second.open().call("one")).error?.code).toBe("unavailable");
    await second.close();
    for (let count = 0; count < 2; count++) expect((await (await folder.open()).open().call("one")).structured).toBe(1);
  });

  test("is not even looked at while the workspace is not trusted", async () => {
    const folder = makeFolder();
    folder.write("tools/a.mjs", marking(folder, tool("one", "execute: () => 1")));
    const workspace = await folder.open({ trust: false });
    expect(workspace.tools.get("one")).toBeUndefined();
    expect([existsSync(markOf(folder)), existsSync(join(folder.path, ".pegboard"))]).toEqual([false, false]);
  });
});

test("closing the workspace leaves no process behind, whatever it does", async () => {
  const folder = makeFolder({
    "tools/a.mjs":
      PID + tool("loops", "timeoutMs: 200, execute: () => { for (;;); }") + `process.on("SIGTERM", () => {});\n`,
  });
  const workspace = await folder.open();
  const session = workspace.open();
  await session.call("pid");
  const looping = session.call("loops");
  await looping;
  await workspace.close();
  expect(processesIn(folder.path)).toEqual([]);
});

async function* closed(session: { close(): Promise<void>; events(): AsyncGenerator<{ type: string }> }) {
  await session.close();
  yield* session.events();
}
