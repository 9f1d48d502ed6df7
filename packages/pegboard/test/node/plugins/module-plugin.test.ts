import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { call, ofType } from "../../agents/stage.ts";
import { stageModules } from "../../plugins/module-stage.ts";
import { processesIn } from "../processes-in.ts";
import { makeFolder } from "../workspace-folder.ts";
import { handler, module, text } from "./module-files.ts";

const PROCESS = "version: 1\nsandbox: { mode: process }\n";

describe("the handler of a tool in a module", () => {
  test("A3-02, A3-07: is that of the default export, and gets its host, the checked input and where the call comes from", async () => {
    const show = `return JSON.stringify([host.name, input, meta.threadId, meta.traceId, "taskId" in meta, meta.signal instanceof AbortSignal, process.pid])`;
    const schema = `{ type: "object", properties: { size: { type: "integer", default: 3 } } }`;
    const folder = makeFolder({
      "plugins/kit/index.ts": module(
        "kit",
        `tools: [{ name: "show", description: "d", schema: ${schema}, handler: async (host, input: object, meta) => { ${show} } }]`,
        `export const plugin = { name: "kit", version: "9.9.9", register() {} };`,
      ),
    });
    const workspace = await folder.open({ approve: "all" });
    expect(workspace.plugins.list()).toMatchObject([{ name: "kit", version: "1.0.0", status: "healthy" }]);
    const session = workspace.open({ id: "thread" });
    const [{ text: shown }] = (await session.call("kit__show", {}, { id: "trace" })).content as unknown as [
      { text: string },
    ];
    const seen = JSON.parse(shown) as unknown[];
    expect(seen.slice(0, 6)).toEqual(["kit", { size: 3 }, "thread", "trace", false, true]);
    expect(seen[6]).not.toBe(process.pid);
    expect((await session.call("kit__show", { size: "big" })).error?.code).toBe("invalid_input");
    expect(session.list().find(({ name }) => name === "kit__show")!.inputSchema).toEqual({
      type: "object",
      properties: { size: { type: "integer", default: 3 } },
    });
  });

  test("A3-07, A3-39: knows the task that it works on, and runs agents below the run that called", async () => {
    const note = handler("note", `return String(meta.taskId)`);
    const rhyme = handler("rhyme", `return host.run("Rhyme", { agent: "poet" })`);
    const { session, heardBy, log } = await stageModules(
      { "plugins/p/index.js": module("p", `tools: [${note}, ${rhyme}]`) },
      {
        lead: {
          says: [
            call("p__note"),
            call("delegate", { agent: "aide", prompt: "Note", mode: "wait" }),
            call("p__rhyme"),
            "Done.",
          ],
        },
        aide: { says: [call("p__note"), "Noted."] },
        poet: { says: ["Roses."] },
      },
    );
    expect(await session.run("lead", "Write").result).toMatchObject({ status: "completed" });
    const [task] = await session.tasks();
    expect(heardBy("lead")).toEqual(expect.arrayContaining(["undefined", "Roses."]));
    expect(heardBy("aide")).toContain(task!.id);
    const starts = ofType(await log(), "run-start");
    expect(starts.map(({ chain }) => chain)).toEqual([["lead"], ["lead", "aide"], ["lead", "poet"]]);
  });

  test("runs agents for a task that it validates below the run that gave it away, and for no other", async () => {
    const judge = `register: (host) => ({ async validateTask({ id }) {
      const refused = await host.run("Judge", { agent: "judge", task: "another" }).catch((error) => error.code);
      return { accepted: true, note: console.log(refused, await host.run("Judge", { agent: "judge", task: id })) };
    } })`;
    const { session, heard, log } = await stageModules(
      { "plugins/p/index.js": module("p", judge) },
      {
        lead: { says: [call("delegate", { agent: "aide", prompt: "Note", mode: "wait" }), "Done."] },
        aide: { says: ["Noted."] },
        judge: { says: [{ text: "Fine.", usage: { input: 900, output: 90 } }] },
      },
    );
    const { usage } = await session.run("lead", "Write").result;
    await expect.poll(() => heard.join("")).toBe("not_found Fine.\n");
    expect(usage.input).toBeGreaterThanOrEqual(900);
    const starts = ofType(await log(), "run-start");
    expect(starts.map(({ chain }) => chain)).toEqual([["lead"], ["lead", "aide"], ["lead", "judge"]]);
  });

  test("A3-08: has the settings, the state, the status and the background work of its own plugin", async () => {
    const keep = `host.state.set("calls", (host.state.get("calls") ?? 0) + 1); if (host.name === "a") host.background("counting", async () => { throw new Error("lost count") }); else host.report("degraded", "tired"); return JSON.stringify([host.name, host.settings, host.state.get("calls")]);`;
    const tools = `tools: [${handler("t", keep)}]`;
    const folder = makeFolder({
      "pegboard.yaml": `${PROCESS}plugins: { settings: { a: { of: a } } }\n`,
      "plugins/a/index.js": module("a", tools),
      "plugins/b/index.mjs": module("b", tools),
    });
    const workspace = await folder.open();
    expect(await text(workspace, "a__t")).toBe('["a",{"of":"a"},1]');
    expect(await text(workspace, "a__t")).toBe('["a",{"of":"a"},2]');
    expect(await text(workspace, "b__t")).toBe('["b",{},1]');
    expect(workspace.plugins.list().map(({ status, reason }) => [status, reason])).toEqual([
      ["degraded", "counting failed: lost count"],
      ["degraded", "tired"],
    ]);
  });

  test("A3-09, A3-10: answers with text and blocks, or fails with the author's code, and is in the log", async () => {
    const tools = [
      handler("text", `return "plain"`),
      handler("blocks", `return { text: "drawn", blocks: [{ kind: "chart" }, { kind: "note" }] }`),
      handler("empty", `return { text: "drawn", blocks: [] }`),
      handler("own", `throw Object.assign(new Error("over quota"), { code: "QUOTA", retryable: true })`),
      handler("plain", `throw new Error("boom")`),
      handler("odd", `return { text: 1n }`),
    ];
    const folder = makeFolder({ "plugins/p/index.js": module("p", `tools: [${tools.join(", ")}]`) });
    const workspace = await folder.open({ approve: "all" });
    const session = workspace.open();
    expect(await session.call("p__text")).toEqual({ ok: true, content: [{ type: "text", text: "plain" }], meta: {} });
    const drawn = { ok: true, content: [{ type: "text", text: "drawn" }], meta: {} };
    expect(await session.call("p__blocks")).toEqual({
      ...drawn,
      structured: { blocks: [{ kind: "chart" }, { kind: "note" }] },
    });
    expect(await session.call("p__empty")).toEqual(drawn);
    expect((await session.call("p__own")).error).toEqual({
      code: "tool_error",
      message: "over quota",
      retryable: true,
      details: { code: "QUOTA" },
    });
    const unknown = { code: "tool_error", message: "boom", retryable: false, details: { code: "INTERNAL_ERROR" } };
    expect((await session.call("p__plain", {}, { id: "trace-1" })).error).toEqual(unknown);
    expect((await workspace.store.read({ session: session.id, type: "call-end" })).at(-1)).toMatchObject({
      session: session.id,
      call: "trace-1",
      data: { tool: "p__plain", ok: false, error: { code: "tool_error", message: "boom" } },
    });
  });

  test("tells progress, hears of the end of its call, and calls others below it with no more rights", async () => {
    const waits = `meta.progress("half", { current: 1, total: 2 }); await new Promise((resolve) => meta.signal.addEventListener("abort", resolve)); console.log("heard"); return "";`;
    const both = `const results = [await host.call("p__free", {}), await host.call("p__other", {})]; return JSON.stringify(results.map(({ ok, error }) => error?.code ?? ok));`;
    const tools = [
      handler("waits", waits),
      handler("both", both),
      handler("free", `return ""`),
      handler("other", `return ""`),
    ];
    const folder = makeFolder({ "plugins/p/index.js": module("p", `tools: [${tools.join(", ")}]`) });
    const heard: string[] = [];
    const workspace = await folder.open({ approve: "all", toolOutput: (_, said) => heard.push(said) });
    const session = workspace.open({ agent: { name: "narrow", tools: ["p__both", "p__free", "p__waits"] } });
    expect((await session.call("p__both", {}, { id: "outer" })).content).toEqual([
      { type: "text", text: '[true,"denied"]' },
    ]);
    const starts = await workspace.store.read({ session: session.id, type: "call-start" });
    expect(starts.map(({ parent }) => parent)).toEqual([undefined, "outer", "outer"]);
    const waiting = session.call("p__waits", {}, { id: "c" });
    await expect
      .poll(async () => (await workspace.store.read({ session: session.id, type: "call-progress" })).length)
      .toBe(1);
    session.cancel("c");
    expect((await waiting).error?.code).toBe("cancelled");
    await expect.poll(() => heard).toEqual(["heard\n"]);
  });
});

describe("a module in a process of its own", () => {
  test("A3-13: is registered when all are, then started and stopped, with a state that ends with it", async () => {
    const folder = makeFolder();
    const log = join(folder.path, "log");
    const said = (word: string) =>
      `appendFileSync(${JSON.stringify(log)}, host.name + " ${word} " + host.state.get("of") + "\\n");`;
    for (const name of ["a", "b"]) {
      const steps = `register(host) { ${said("registers")} host.state.set("of", host.name); }, async start(host) { ${said("starts")} }, async stop(host) { ${said("stops")} ${name === "a" ? `throw new Error("no")` : ""} }`;
      folder.write(`plugins/${name}/index.js`, module(name, steps, `import { appendFileSync } from "node:fs";`));
    }
    const workspace = await folder.open();
    const lines = () => readFileSync(log, "utf8").trim().split("\n");
    expect(lines().slice(0, 2).sort()).toEqual(["a registers undefined", "b registers undefined"]);
    expect(lines().slice(2).sort()).toEqual(["a starts a", "b starts b"]);
    expect(await workspace.plugins.disable("a")).toMatchObject({ reason: "switched off; stop failed: no" });
    await workspace.plugins.enable("a");
    expect(lines().slice(4)).toEqual(["a stops a", "a registers undefined", "a starts a"]);
    await expect(workspace.close()).rejects.toThrow('"a" (stop failed: no)');
    expect(lines().slice(7).sort()).toEqual(["a stops a", "b stops b"]);
  });

  test("A3-15: whose start fails is told why, stays degraded when it recovers, and is stopped like any other", async () => {
    const steps = `start() { throw Object.assign(new Error("no port"), { code: "EADDRINUSE" }) }, onStartFailed(host, error) { console.log(error instanceof Error, error.message, error.code) }, stop() { console.log("stopped") }`;
    const folder = makeFolder({
      "plugins/p/index.js": module("p", `tools: [${handler("t", `return "there"`)}], ${steps}`),
    });
    const heard: string[] = [];
    const workspace = await folder.open({ toolOutput: (_, said) => heard.push(said) });
    expect(workspace.plugins.get("p")).toMatchObject({ status: "degraded", reason: "start failed: no port" });
    expect(await text(workspace, "p__t")).toBe("there");
    await workspace.plugins.disable("p");
    await expect.poll(() => heard.join("")).toBe("true no port EADDRINUSE\nstopped\n");
  });

  test("acts through its host: calls under the policy, runs agents, broadcasts, and hears of its settings and of the end", async () => {
    const acts = `
      start(host) {
        host.background("work", async (signal) => {
          signal.addEventListener("abort", () => console.log("ended"));
          const calls = [await host.call("p__free", {}), await host.call("p__barred", {}), await host.call("nothing", {})];
          console.log(JSON.stringify(calls.map(({ ok, error }) => error?.code ?? ok)));
          console.log(await host.run("Greet").catch((error) => error.code + " " + error.message));
          console.log(await host.run("Greet", { agent: "nobody" }).catch((error) => error.code));
          host.broadcast("news", { of: host.name });
        });
      }`;
    const listens = `register: (host) => ({ priority: 5, broadcast: (topic, data) => console.log(topic, JSON.stringify(data)), onIntentClassify: async () => ({ handled: true, response: "Hello." }), onSettingsChange: (name) => console.log(name, JSON.stringify(host.settings)) })`;
    const config = `${PROCESS}model: ollama:none\npolicy: { rules: [{ tool: p__free, approval: preApproved }, { tool: p__barred, approval: blocked }] }\n`;
    const folder = makeFolder({
      "pegboard.yaml": config,
      "plugins/p/index.js": module(
        "p",
        `tools: [${handler("free", `return ""`)}, ${handler("barred", `return ""`)}, ${handler("settings", `return JSON.stringify(host.settings)`)}], ${acts}`,
      ),
      "plugins/q/index.js": module("q", listens),
    });
    const heard: string[] = [];
    const workspace = await folder.open({
      toolOutput: (source, said) =>
        heard.push(
          ...said
            .trim()
            .split("\n")
            .map((line) => `${source}: ${line}`),
        ),
    });
    await expect.poll(() => heard, { timeout: 5_000 }).toContain('plugin "q": news {"of":"p"}');
    expect(heard).toEqual(
      expect.arrayContaining([
        'plugin "p": [true,"blocked","not_found"]',
        'plugin "p": Hello.',
        'plugin "p": not_found',
      ]),
    );
    const [start] = await workspace.store.read({ type: "session-start" });
    expect(start!.data).toMatchObject({ client: "plugin:p" });
    expect(
      workspace.plugins
        .get("q")!
        .components.map(({ name }) => name)
        .sort(),
    ).toEqual(["answerPrompt", "broadcast", "settingsChanged"]);
    await workspace.plugins.configure("q", { n: 1 });
    await workspace.plugins.configure("p", { n: 2 });
    expect(await text(workspace, "p__settings")).toBe('{"n":2}');
    await expect.poll(() => heard).toContain('plugin "q": q {"n":1}');
    await workspace.plugins.disable("p");
    await expect.poll(() => heard).toContain('plugin "p": ended');
  });

  test("brings tools of our own shape, session tools, agents, skills and commands, and settings that it needs", async () => {
    const rest = `
      settingsSchema: { type: "object", required: ["key"], properties: { key: { type: "string" }, size: { type: "integer", default: 2 } } },
      register: (host) => void (key = host),
      tools: [
        { name: "own", description: "d", input: { type: "object" }, approval: () => "ask", summary: () => "sums up", execute: () => ({ size: key.settings.size }) },
        ${handler("other", `return "other"`)},
        { name: "counts", description: "d", input: { type: "object" }, open: () => { let n = 0; return { execute: () => ++n }; } },
      ],
      agents: [{ name: "poet", description: "rhymes", instructions: "Rhyme." }],
      skills: [{ name: "knots", description: "ties", read: async () => "Tie it.", list: () => ["a.txt"], readFile: (path) => path === "raw" ? new Uint8Array([0, 255]) : Promise.reject(new Error("no " + path)) }],
      commands: [{ name: "go", description: "goes", prompt: "Go $1" }]`;
    const folder = makeFolder({ "plugins/kit/index.js": module("kit", rest, "let key;") });
    const workspace = await folder.open();
    expect(workspace.plugins.get("kit")).toMatchObject({ status: "failed", reason: expect.stringContaining("key") });
    expect(workspace.tools.get("kit__own")).toBeUndefined();
    await workspace.plugins.configure("kit", { key: "k" });
    expect(workspace.plugins.get("kit")!.components.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "tools own",
      "tools other",
      "tools counts",
      "agents poet",
      "skills knots",
      "commands go",
    ]);
    const asked: unknown[] = [];
    const session = workspace.open({ approver: ({ summary }) => (asked.push(summary), { decision: "allow" }) });
    expect((await session.call("kit__own")).structured).toEqual({ size: 2 });
    expect(asked).toEqual(["sums up"]);
    expect([(await session.call("kit__counts")).structured, (await session.call("kit__counts")).structured]).toEqual([
      1, 2,
    ]);
    const skill = workspace.skills.find("kit:knots")!.item;
    expect(await skill.read()).toBe("Tie it.");
    expect(await skill.list?.()).toEqual(["a.txt"]);
    expect(await skill.readFile?.("raw")).toEqual(new Uint8Array([0, 255]));
    await expect(skill.readFile?.("else")).rejects.toThrow("no else");
    expect(await workspace.agents.find("kit/poet")).toMatchObject({ agent: { instructions: "Rhyme." } });
  });

  test("that ends is degraded with the reason and hurts no other; its gates deny, and enabled anew it works", async () => {
    const dies = handler("dies", `setTimeout(() => process.exit(3), 20); await new Promise(() => {})`);
    const folder = makeFolder({
      "pegboard.yaml": PROCESS,
      "plugins/bad/index.js": module(
        "bad",
        `tools: [${dies}, ${handler("pid", "return String(process.pid)")}], register: () => ({ beforeCall: () => ({ action: "continue" }) })`,
      ),
      "plugins/good/index.js": module("good", `tools: [${handler("t", `return "fine"`)}]`),
    });
    const workspace = await folder.open();
    const first = await text(workspace, "bad__pid");
    expect(await text(workspace, "bad__dies")).toBe(
      'tool_error: The process of plugin "bad" ended: it ended with exit code 3',
    );
    expect(workspace.plugins.get("bad")).toMatchObject({
      status: "degraded",
      reason: expect.stringContaining("exit code 3. Enable"),
    });
    expect(await text(workspace, "good__t")).toMatch(/^denied: .*plugin "bad"/);
    expect(workspace.plugins.get("good")).toMatchObject({ status: "healthy" });
    expect(await workspace.plugins.enable("bad")).toMatchObject({ status: "healthy" });
    expect(await text(workspace, "good__t")).toBe("fine");
    expect(await text(workspace, "bad__pid")).not.toBe(first);
    expect(await text(workspace, "bad__pid")).toMatch(/^\d+$/);
  });

  test("that has ended is not started by a call, and enabled anew opens its session tools anew", async () => {
    const counts = `{ name: "counts", description: "d", input: { type: "object" }, open: () => { let n = 0; return { execute: () => [word, ++n] }; } }`;
    const own = `{ name: "own", description: "d", input: { type: "object" }, execute: () => word }`;
    const ends = handler("ends", "process.exit(1)");
    const folder = makeFolder({
      "plugins/p/index.js": module(
        "p",
        `tools: [${counts}, ${own}, ${ends}], register() { word = "registered" }`,
        "let word;",
      ),
    });
    const workspace = await folder.open({ approve: "all" });
    const session = workspace.open();
    const answer = async (tool: string) => {
      const { structured, error, content } = await session.call(`p__${tool}`);
      return error?.code ?? structured ?? content;
    };
    expect([await answer("counts"), await answer("counts")]).toEqual([
      ["registered", 1],
      ["registered", 2],
    ]);
    expect(await answer("ends")).toBe("tool_error");
    expect([await answer("counts"), await answer("own")]).toEqual(["unavailable", "unavailable"]);
    await workspace.plugins.enable("p");
    expect(await answer("counts")).toEqual(["registered", 1]);
    expect(await answer("own")).toEqual([{ type: "text", text: "registered" }]);
  });

  test.each([
    `{ tools: [], problems: [] }`,
    `{ tools: [], problems: [], plugin: { diagnostics: 1 } }`,
    `{ tools: [], problems: [], plugin: { diagnostics: [null] } }`,
    `{ tools: [], problems: [], plugin: { diagnostics: [], parts: { name: "p", version: "1.0.0", steps: 1, tools: [{ index: 7 }] } } }`,
    `{ tools: 1, plugin: { diagnostics: [{}] } }`,
    `null`,
  ])("that says of itself %s is a plugin that has failed", async (value) => {
    const forged = `JSON.stringify({ type: "reply", id: 1, value: ${value} })`;
    const forge = `const text = Buffer.from(${forged}); const size = Buffer.alloc(4); size.writeUInt32LE(text.length); writeSync(3, Buffer.concat([size, text])); await new Promise((resolve) => setTimeout(resolve, 5000));`;
    const folder = makeFolder({
      "pegboard.yaml": PROCESS,
      "plugins/p/index.js": module("p", "register() {}", `import { writeSync } from "node:fs"; ${forge}`),
      "plugins/good/index.js": module("good", `tools: [${handler("t", `return "fine"`)}]`),
    });
    const workspace = await folder.open();
    expect(workspace.plugins.get("p")).toMatchObject({ status: "failed" });
    expect(workspace.diagnostics).toMatchObject([{ severity: "error" }]);
    expect(await text(workspace, "good__t")).toBe("fine");
  });

  test("whose messages are not what they should be hurts nobody", async () => {
    const send = (message: string) =>
      `{ const text = Buffer.from(JSON.stringify(${message})); const size = Buffer.alloc(4); size.writeUInt32LE(text.length); writeSync(3, Buffer.concat([size, text])); }`;
    const messages = [
      `{ type: "report", status: {}, reason: { a: 1 } }`,
      `{ type: "broadcast" }`,
      `{ type: "run", id: "x", of: 99, options: 1 }`,
      `{ type: "run" }`,
      `{ type: "call", of: 99 }`,
      `{ type: "call" }`,
      `{ type: "nothing" }`,
      `7`,
    ];
    const folder = makeFolder({
      "pegboard.yaml": PROCESS,
      "plugins/p/index.js": module(
        "p",
        `tools: [${handler("t", `${messages.map(send).join(" ")} return "sent"`)}]`,
        `import { writeSync } from "node:fs";`,
      ),
    });
    const workspace = await folder.open();
    expect(await text(workspace, "p__t")).toBe("sent");
    expect(await text(workspace, "p__t")).toBe("sent");
    expect(workspace.plugins.get("p")).toMatchObject({ status: "degraded", reason: "[object Object]" });
  });

  test("is gone when it is switched off, once its calls have ended", async () => {
    const slow = handler(
      "slow",
      `console.log("began"); await new Promise((resolve) => setTimeout(resolve, 300)); return "kept"`,
    );
    const folder = makeFolder({ "pegboard.yaml": PROCESS, "plugins/p/index.js": module("p", `tools: [${slow}]`) });
    const heard: string[] = [];
    const workspace = await folder.open({ toolOutput: (_, said) => heard.push(said) });
    expect(processesIn(folder.path)).toHaveLength(1);
    const slowly = text(workspace, "p__slow");
    await expect.poll(() => heard).toEqual(["began\n"]);
    await workspace.plugins.disable("p");
    expect(await slowly).toBe("kept");
    await expect.poll(() => processesIn(folder.path)).toEqual([]);
  });

  test("whose files changed since it was loaded is not run before they are loaded anew", async () => {
    const says = (word: string) => module("p", `tools: [${handler("t", `return "${word}"`)}]`);
    const folder = makeFolder({ "plugins/p/index.js": says("one") });
    const workspace = await folder.open();
    await workspace.plugins.disable("p");
    folder.write("plugins/p/index.js", says("another"));
    expect(await workspace.plugins.enable("p")).toMatchObject({
      status: "failed",
      reason: expect.stringContaining("has changed since"),
    });
    await expect.poll(() => text(workspace, "p__t"), { timeout: 5_000 }).toBe("another");
  });

  test("can also be a thread", async () => {
    const folder = makeFolder({
      "pegboard.yaml": "version: 1\nsandbox: { mode: worker }\n",
      "plugins/p/index.js": module(
        "p",
        `tools: [${handler("t", `return host.state.get("of")`)}], register(host) { host.state.set("of", "p") }`,
      ),
    });
    expect(await text(await folder.open(), "p__t")).toBe("p");
  });
});
