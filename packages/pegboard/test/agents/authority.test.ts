import type { Agent, PromptTool, Tool } from "@pegboard/contract";
import {
  createRuntime,
  defineTool,
  type Json,
  type OpenOptions,
  type Rule,
  type RuntimeOptions,
  scriptedModel,
  type Turn,
} from "pegboard";
import { describe, expect, test } from "vitest";
import type { OwnTools } from "../../src/core/own-tools.ts";

const INPUT = { type: "object" };

function tool(name: string, more: Partial<Tool> = {}): Tool {
  return defineTool({
    name,
    description: `Does ${name}`,
    input: INPUT,
    capabilities: ["read"],
    execute: () => `${name} ran`,
    ...more,
  }) as Tool;
}

function agent(name: string, more: Partial<Agent> = {}): Agent {
  return { name, description: `Is ${name}`, instructions: `You are the ${name}.`, ...more };
}

interface Scene {
  readonly agents: readonly Agent[];
  readonly tools?: readonly Tool[];
  /** What each agent (by a text of its system prompt) says. */
  readonly turns: Readonly<Record<string, readonly Turn[]>>;
  readonly rules?: readonly Rule[];
  readonly open?: OpenOptions;
  readonly kernel?: RuntimeOptions["kernel"];
}

/** Runs the first agent, and tells what each agent saw and what its calls came to. */
async function play({
  agents,
  tools = [tool("look"), tool("peek")],
  turns,
  rules = [],
  open = { approve: "all" },
  kernel,
}: Scene) {
  const scripts = Object.entries(turns).map(([system, own]) => ({ when: { system }, turns: own }));
  const model = scriptedModel({ scripts });
  const runtime = createRuntime({ model, agents, tools, policy: { rules }, ...(kernel && { kernel }) });
  const result = await runtime.open(open).run(agents[0]!.name, "Go").result;
  const of = (system: string) => model.requests.filter((request) => request.system.includes(system));
  const sees = (system: string) => of(system)[0]?.tools.map(({ name }) => name);
  const outcomes = (system: string) =>
    of(system)
      .at(-1)!
      .messages.flatMap((message) => (message.role === "tool" ? message.results : []))
      .map(({ ok, content }) => `${ok ? "ok" : "no"}: ${(content[0] as { text: string }).text}`);
  await runtime.close();
  return { result, sees, outcomes, requests: model.requests };
}

const asking = (name: string, more: Readonly<Record<string, Json>> = {}): Turn => ({
  calls: [{ tool: "agent", input: { agent: name, prompt: "Do it", ...more } }],
});
const calling = (...names: string[]): Turn => ({ calls: names.map((name) => ({ tool: name })) });

describe("an agent that is asked by another", () => {
  test("sees and calls only what both may use, however deep", async () => {
    const { sees, outcomes } = await play({
      agents: [
        agent("top", { tools: ["agent", "look", "peek"] }),
        agent("middle", { tools: ["*", "!peek"] }),
        agent("bottom", { tools: ["agent", "look", "peek", "vfs_*"] }),
      ],
      turns: {
        "the top": [asking("middle"), "Done."],
        "the middle": [asking("bottom"), "Done."],
        "the bottom": [calling("look", "peek", "vfs_list"), "Done."],
      },
    });
    expect(sees("the top")).toEqual(["agent", "look", "peek"]);
    expect(sees("the middle")).toEqual(["agent", "look"]);
    expect(sees("the bottom")).toEqual(["agent", "look"]);
    expect(outcomes("the bottom")).toEqual([
      "ok: look ran",
      expect.stringMatching(/^no: .*"peek" is not among the tools of agent "middle"/),
      expect.stringMatching(/^no: .*"vfs_list" is not among the tools of agent "top"/),
    ]);
  });

  test("is bound by the agent that the session was opened with", async () => {
    const { sees, outcomes } = await play({
      agents: [agent("top"), agent("bottom")],
      open: { approve: "all", agent: { name: "client", tools: ["agent", "look"] } },
      turns: { "the top": [asking("bottom"), "Done."], "the bottom": [calling("look", "peek"), "Done."] },
    });
    expect(sees("the top")).toEqual(["agent", "look"]);
    expect(sees("the bottom")).toEqual(["agent", "look"]);
    expect(outcomes("the bottom")).toEqual(["ok: look ran", expect.stringContaining('agent "client"')]);
  });

  test.each(["blocked", "ask"] as const)("does not get round a rule (%s) for an agent above it", async (approval) => {
    const { sees, outcomes } = await play({
      agents: [agent("intern"), agent("senior"), agent("boss")],
      rules: [
        { tool: "agent", approval: "preApproved" },
        { tool: "look", agent: "intern", approval },
        { tool: "peek", agent: "intern", approval: "preApproved" },
      ],
      tools: [tool("look"), tool("peek", { capabilities: ["write"] })],
      open: { approve: "none" },
      turns: {
        "the intern": [asking("senior"), "Done."],
        "the senior": [asking("boss"), "Done."],
        "the boss": [calling("look", "peek"), "Done."],
      },
    });
    expect(sees("the boss")!.includes("look")).toBe(approval === "ask");
    // A rule that allows the one above allows nothing to those it asks.
    expect(outcomes("the boss")).toEqual([
      expect.stringMatching(/^no: /),
      expect.stringMatching(/^no: .*needs approval/),
    ]);
  });

  test("only reads when an agent above it only reads", async () => {
    const tools = [
      tool("look"),
      tool("keep", { capabilities: ["state"] }),
      tool("both", { capabilities: ["read", "write"] }),
      tool("odd", { capabilities: [] }),
    ];
    const readOnly = agent("reader", {
      mode: "read-only",
      tools: ["*"],
      promptTools: [{ name: "short", description: "Shortens", prompt: "Shorten", input: INPUT, tools: ["*"] }],
    });
    const direct = await play({
      agents: [readOnly],
      tools,
      turns: { 'tool "short"': ["Short."], "the reader": [calling("look", "both", "odd", "short", "agent"), "Done."] },
    });
    expect(direct.sees("the reader")).toEqual([
      "checkin",
      "keep",
      "look",
      "read_result",
      "short",
      "signal_parent",
      "vfs_delete",
      "vfs_list",
      "vfs_read",
      "vfs_write",
    ]);
    expect(direct.sees('tool "short"')).toEqual([
      "checkin",
      "keep",
      "look",
      "read_result",
      "signal_parent",
      "vfs_delete",
      "vfs_list",
      "vfs_read",
      "vfs_write",
    ]);
    expect(direct.outcomes("the reader")).toEqual([
      "ok: look ran",
      expect.stringMatching(/^no: .*only reads/),
      expect.stringMatching(/^no: .*only reads/),
      "ok: Short.",
      expect.stringMatching(/^no: .*only reads/),
    ]);
    const nested = await play({
      agents: [agent("top"), agent("bottom", { mode: "read-only" })],
      tools,
      turns: { "the top": [asking("bottom"), "Done."], "the bottom": [calling("both"), "Done."] },
    });
    expect(nested.outcomes("the bottom")).toEqual([expect.stringMatching(/^no: .*only reads/)]);
  });

  test("does not call through a tool what it may not call itself", async () => {
    const nesting = tool("nesting", {
      execute: async (_: unknown, { call }) => (await call("peek", {})).error?.code ?? "ran",
    });
    const { outcomes } = await play({
      agents: [agent("top", { tools: ["agent", "nesting", "look"] }), agent("bottom")],
      tools: [nesting, tool("look"), tool("peek")],
      turns: { "the top": [asking("bottom"), "Done."], "the bottom": [calling("nesting"), "Done."] },
    });
    expect(outcomes("the bottom")).toEqual(["ok: denied"]);
  });

  test("that only reads is not believed by the word of somebody else's package", async () => {
    const runtime = createRuntime();
    runtime.tools.register(tool("look"), { prefix: "theirs", source: { kind: "package", id: "theirs" } });
    const names = (mode?: "read-only") =>
      runtime
        .open({ agent: { name: "reader", ...(mode && { mode }) } })
        .list()
        .map(({ name }) => name);
    expect(names()).toContain("theirs__look");
    expect(names("read-only")).not.toContain("theirs__look");
  });

  test("of a plugin with nothing but denials sees no tools of other plugins", () => {
    const runtime = createRuntime();
    for (const plugin of ["mine", "theirs"])
      runtime.tools.register(tool("look"), {
        prefix: plugin,
        layer: "plugin",
        source: { kind: "plugin", id: plugin, plugin },
      });
    const session = runtime.open({ agent: { name: "a", plugin: "mine", tools: ["!vfs_*"] } });
    expect(session.list().map(({ name }) => name)).toEqual([
      "agent",
      "checkin",
      "delegate",
      "mine__look",
      "read_result",
      "signal_parent",
      "spawn_agent",
    ]);
  });

  test("gets no file along that the agent which asks could not read", async () => {
    const read: string[] = [];
    const kernel: RuntimeOptions["kernel"] = {
      attachment: async (place) => {
        if (!place.find("read_file")) return undefined;
        return async (path) => {
          if (!(await place.allows("read_file", { path }))) throw new Error(`not ${path}`);
          read.push(path);
          return btoa("text");
        };
      },
    };
    const scene = (rules: readonly Rule[], tools?: readonly string[]) =>
      play({
        agents: [agent("top", tools && { tools }), agent("bottom")],
        tools: [tool("read_file")],
        kernel,
        rules: [{ tool: "agent", approval: "preApproved" }, ...rules],
        open: { approve: "none" },
        turns: { "the top": [asking("bottom", { attachments: ["/a.txt"] }), "Done."], "the bottom": ["Seen."] },
      });
    expect((await scene([])).outcomes("the top")).toEqual(["ok: Seen."]);
    for (const [rules, tools] of [
      [[], ["agent"]],
      [[{ tool: "read_file", approval: "blocked" }], undefined],
      [[{ tool: "read_file", approval: "ask" }], undefined],
      [[{ tool: "read_file", input: { "/path": "/a*" }, approval: "blocked" }], undefined],
      [[{ tool: "read_file", agent: "top", approval: "blocked" }], undefined],
    ] as [Rule[], string[] | undefined][])
      expect((await scene(rules, tools)).outcomes("the top"), JSON.stringify(rules)).toEqual([
        expect.stringMatching(/^no: /),
      ]);
    expect(read).toEqual(["/a.txt"]);
  });
});

describe("a prompt tool", () => {
  const SHORT: PromptTool = { name: "short", description: "Shortens", prompt: "Shorten", input: INPUT };

  test("is its agent's alone: others neither see nor call it, nor does the run of another prompt", async () => {
    const { sees, outcomes } = await play({
      agents: [agent("top", { promptTools: [SHORT, { ...SHORT, name: "long", tools: ["*"] }] }), agent("bottom")],
      turns: {
        'tool "long"': [calling("short", "long"), "Long."],
        "the top": [{ calls: [{ tool: "long" }, { tool: "agent", input: { agent: "bottom", prompt: "?" } }] }, "Done."],
        "the bottom": [calling("short"), "Done."],
      },
    });
    expect(sees("the top")).toEqual(expect.arrayContaining(["long", "short"]));
    for (const other of ["the bottom", 'tool "long"']) {
      expect(sees(other)).not.toContain("short");
      expect(sees(other)).not.toContain("long");
      expect(outcomes(other)[0]).toMatch(/^no: .*belongs to a run of another agent/);
    }
  });

  test("has of its agent's tools those that it names, and none that its agent has not", async () => {
    const { sees } = await play({
      agents: [
        agent("top", {
          tools: ["look"],
          promptTools: [SHORT, { ...SHORT, name: "long", tools: ["look", "peek", "vfs_*"] }],
        }),
      ],
      turns: { 'tool "short"': ["Short."], 'tool "long"': ["Long."], "the top": [calling("short", "long"), "Done."] },
    });
    expect(sees("the top")).toEqual(["long", "look", "short"]);
    expect(sees('tool "short"')).toEqual([]);
    expect(sees('tool "long"')).toEqual(["look"]);
  });

  test("calls in the name of its agent, never in that of another agent with its own name", async () => {
    const tools = [
      tool("deploy", { requiredAgent: "deployer" }),
      tool("mine", { requiredAgent: "top" }),
      tool("risky", { capabilities: ["write"] }),
      tool("look"),
    ];
    const { sees, outcomes } = await play({
      agents: [agent("top", { promptTools: [{ ...SHORT, name: "deployer", tools: ["*"] }] })],
      tools,
      rules: [
        { tool: "risky", agent: "deployer", approval: "preApproved" },
        { tool: "look", agent: "top", approval: "blocked" },
      ],
      open: { approve: "none" },
      turns: {
        'tool "deployer"': [calling("deploy", "mine", "risky", "look"), "Done."],
        "the top": [calling("deployer"), "Done."],
      },
    });
    expect(sees('tool "deployer"')).not.toContain("deploy");
    expect(outcomes('tool "deployer"')).toEqual([
      expect.stringMatching(/^no: .*reserved for agent "deployer"/),
      "ok: mine ran",
      expect.stringMatching(/^no: .*needs approval/),
      expect.stringMatching(/^no: .*blocked/),
    ]);
  });
});

describe("the toolsets that an agent brings", () => {
  const kernel: RuntimeOptions["kernel"] = {
    toolsets: async ({ name }, { run }): Promise<OwnTools> => ({
      register: (board) =>
        void board.register([tool("own"), tool("risky", { capabilities: ["write"] })], {
          prefix: name,
          source: { kind: "module", id: name, agent: run },
        }),
      async [Symbol.asyncDispose]() {},
    }),
  };
  const bringing = { toolsets: { mine: {} } };

  test("are its own, whatever lists above say of others", async () => {
    const { sees, outcomes } = await play({
      agents: [agent("top", { ...bringing, tools: ["agent"] }), agent("bottom", { ...bringing, tools: [] })],
      kernel,
      turns: {
        "the top": [asking("bottom"), calling("top__own", "bottom__own"), "Done."],
        "the bottom": [calling("top__own"), "Done."],
      },
    });
    expect(sees("the top")).toEqual(["agent", "top__own", "top__risky"]);
    expect(sees("the bottom")).toEqual([]);
    expect(outcomes("the bottom")).toEqual([expect.stringMatching(/^no: /)]);
    expect(outcomes("the top").slice(1)).toEqual(["ok: own ran", expect.stringContaining("There is no tool")]);
  });

  test("serve its prompts where they name them, and nobody else", async () => {
    const prompts = [
      { name: "short", description: "Shortens", prompt: "Shorten", input: INPUT, tools: ["top__own"] },
      { name: "long", description: "Lengthens", prompt: "Lengthen", input: INPUT },
    ];
    const { sees, outcomes } = await play({
      agents: [agent("top", { ...bringing, tools: ["agent"], promptTools: prompts }), agent("bottom")],
      kernel,
      turns: {
        'tool "short"': [calling("top__own", "top__risky"), "Short."],
        'tool "long"': [calling("top__own"), "Long."],
        "the top": [calling("short", "long"), asking("bottom"), "Done."],
        "the bottom": [calling("top__own"), "Done."],
      },
    });
    expect(sees('tool "short"')).toEqual(["top__own"]);
    expect(outcomes('tool "short"')).toEqual(["ok: own ran", expect.stringMatching(/^no: /)]);
    expect(sees('tool "long"')).toEqual([]);
    expect(outcomes('tool "long"')).toEqual([expect.stringMatching(/^no: /)]);
    expect(sees("the bottom")).toEqual(["agent"]);
  });

  test("are only what reads, of an agent that only reads", async () => {
    const { sees } = await play({
      agents: [agent("top", { ...bringing, tools: [], mode: "read-only" })],
      kernel,
      turns: { "the top": ["Done."] },
    });
    expect(sees("the top")).toEqual(["top__own"]);
  });
});

test("a result for a tool that called it is not cut as one for a model", async () => {
  const big = tool("big", { execute: () => "x".repeat(100_000) });
  const nesting = tool("nesting", {
    execute: async (_: unknown, { call }) =>
      String((await call("big", {})).content.map((block) => (block.type === "text" ? block.text : "")).join("").length),
  });
  const { outcomes } = await play({
    agents: [agent("top")],
    tools: [big, nesting],
    turns: { "the top": [calling("nesting", "big"), "Done."] },
  });
  expect(outcomes("the top")[0]).toBe("ok: 100000");
  expect(outcomes("the top")[1]!.length).toBeLessThan(30_000);
});
