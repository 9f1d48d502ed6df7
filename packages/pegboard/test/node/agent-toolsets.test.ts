import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Json, type Result, scriptedModel } from "../../src/index.ts";
import type { Workspace } from "../../src/node/index.ts";
import { type Folder, makeFolder } from "./workspace-folder.ts";

const agent = (name: string, rest = "") =>
  `---\nname: ${name}\ndescription: The agent ${name}\n${rest}---\nYou help.\n`;

const MADE = `import { appendFileSync } from "node:fs";
const note = (word) => appendFileSync(new URL("./made.log", import.meta.url), word + " ");
let made = 0;
export const make = () => {
  const id = ++made;
  note("made");
  const tool = (name, execute) => ({ name, description: name, capabilities: ["read"], input: { type: "object" }, execute });
  return {
    [Symbol.dispose]: () => note("disposed"),
    id: tool("id", () => id),
    next: tool("next", () => made),
    fails: tool("fails", () => { throw new Error("no"); }),
  };
};
export const broken = () => { throw new Error("out of paint"); };
export const plain = { name: "plain", description: "Plain", capabilities: ["read"], input: { type: "object" }, execute: () => "plain" };
`;

interface Call {
  readonly tool: string;
  readonly input?: Json;
}

/** Runs an agent whose model makes these calls, one a turn, and gives what they came to, and which tools it saw. */
async function run(workspace: Workspace, name: string, calls: readonly Call[], options: { session?: object } = {}) {
  const model = scriptedModel([
    ...calls.map(({ tool, input = {} }) => ({ calls: [{ tool, input }] })),
    { text: "Done." },
  ]);
  const session = workspace.open(options.session);
  const result = await session.run(name, "Go", { model }).result;
  const results: Result[] = [];
  for (const event of await workspace.store.read({ session: session.id, type: "call-end" }))
    results.push((event.data as unknown as { result: Result }).result);
  await session.close();
  return { result, results, tools: model.requests[0]?.tools.map((tool) => tool.name) ?? [] };
}

const codes = (results: readonly Result[]) => results.map(({ error }) => error?.code);
const log = ({ path }: Folder) => {
  const file = join(path, "lib/made.log");
  return existsSync(file) ? readFileSync(file, "utf8").trim() : "";
};

describe("the toolsets of an agent", () => {
  test("A1-23: one that is not known fails the run, naming the agent and the known ones", async () => {
    const folder = makeFolder({
      "pegboard.yaml": "version: 1\ntoolsets: { filesystem: {} }\n",
      "agents/lost.md": agent("lost", "toolsets: { filesystm: {}, odd: { modul: ./x.ts } }\n"),
    });
    const { result, tools } = await run(await folder.open(), "lost", []);
    expect(result.error).toMatchObject({ code: "invalid_config" });
    expect(result.error?.message).toMatch(
      /^Agent "lost": there is no toolset "filesystm", did you mean "filesystem"\? Known: agents, filesystem, .*vfs, web/,
    );
    expect(result.error?.message).toMatch(/Agent "lost": toolset "odd".*unknown key "modul", did you mean "module"/);
    expect(tools).toEqual([]);
  });

  test("are that agent's alone, under their key, whatever its list says", async () => {
    const folder = makeFolder({
      "lib/made.mjs": MADE,
      "agents/maker.md": agent("maker", "tools: [vfs_list]\ntoolsets: { mine: { module: ../lib/made.mjs } }\n"),
      "agents/other.md": agent("other"),
    });
    const workspace = await folder.open();
    const { results, tools } = await run(workspace, "maker", [{ tool: "mine__plain" }]);
    expect(tools).toEqual(["mine__plain", "vfs_list"]);
    expect(results).toMatchObject([{ ok: true, content: [{ text: "plain" }] }]);
    const other = await run(workspace, "other", [{ tool: "mine__plain" }]);
    expect(other.tools).not.toContain("mine__plain");
    expect(codes(other.results)).toEqual(["not_found"]);
    expect(workspace.tools.names()).not.toContain("mine__plain");
  });

  test("A1-41: are made once for each run and disposed when it ends, also after errors", async () => {
    const folder = makeFolder({
      "lib/made.mjs": MADE,
      "agents/maker.md": agent("maker", "toolsets: { mine: { module: ../lib/made.mjs, import: make, call: [] } }\n"),
    });
    const workspace = await folder.open();
    const both = [{ tool: "mine__id" }, { tool: "mine__id" }, { tool: "mine__next" }];
    expect((await run(workspace, "maker", both)).results.map(({ structured }) => structured)).toEqual([1, 1, 1]);
    expect(log(folder)).toBe("made disposed");
    expect(codes((await run(workspace, "maker", [{ tool: "mine__fails" }])).results)).toEqual(["tool_error"]);
    expect(log(folder)).toBe("made disposed made disposed");
    await run(workspace, "maker", []);
    expect(log(folder)).toBe("made disposed made disposed made disposed");
  });

  test("A1-41: two runs at once have one each, in one session too", async () => {
    const folder = makeFolder({
      "lib/made.mjs": MADE,
      "agents/maker.md": agent("maker", "toolsets: { mine: { module: ../lib/made.mjs, import: make, call: [] } }\n"),
    });
    const session = (await folder.open()).open();
    const start = () =>
      session.run("maker", "Go", {
        model: scriptedModel([{ calls: [{ tool: "mine__id", input: {} }] }, { text: "x" }]),
      });
    const results = await Promise.all([start().result, start().result]);
    expect(results.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(log(folder).split(" ").toSorted()).toEqual(["disposed", "disposed", "made", "made"]);
  });

  test("A1-41: are made once for all runs when they are shared", async () => {
    const folder = makeFolder({
      "lib/made.mjs": MADE,
      "agents/maker.md": agent(
        "maker",
        "toolsets: { mine: { module: ../lib/made.mjs, import: make, call: [], shared: true } }\n",
      ),
    });
    const workspace = await folder.open();
    for (let count = 0; count < 2; count++)
      expect((await run(workspace, "maker", [{ tool: "mine__id" }])).results[0]?.structured).toBe(1);
    expect(log(folder)).toBe("made");
  });

  test("A1-41: one that cannot be had fails the run with the reason, and the others are let go", async () => {
    const folder = makeFolder({
      "lib/made.mjs": MADE,
      "agents/maker.md": agent(
        "maker",
        "toolsets:\n  mine: { module: ../lib/made.mjs, import: make, call: [] }\n  bad: { module: ../lib/made.mjs, import: broken, call: [] }\n",
      ),
    });
    const { result } = await run(await folder.open(), "maker", []);
    expect(result.error).toMatchObject({
      code: "unavailable",
      message: expect.stringMatching(/"maker".*out of paint/),
    });
    expect(log(folder)).toBe("made disposed");
  });

  test("can be a program, under its own name, that is not a name of another tool", async () => {
    const program =
      "tools:\n  - { name: double, description: Doubles, command: [node, ../lib/double.mjs], capabilities: [read] }\n";
    const folder = makeFolder({
      "lib/double.mjs": `let text = ""; process.stdin.on("data", (part) => (text += part)).on("end", () => console.log(JSON.parse(text).n * 2));`,
      "agents/doubler.md": agent("doubler", program.replace("capabilities: [read]", "requires_approval: false")),
      "agents/thief.md": agent("thief", program.replace("name: double", "name: vfs_read")),
    });
    const workspace = await folder.open();
    const allowed = { session: { approve: "all" } };
    const { results } = await run(workspace, "doubler", [{ tool: "double", input: { n: 21 } }], allowed);
    expect(results).toMatchObject([{ ok: true, structured: 42 }]);
    expect((await run(workspace, "thief", [])).result.error).toMatchObject({ code: "duplicate" });
  });

  test("A1-06: say how strictly to ask, and cannot say less than the tool", async () => {
    const folder = makeFolder({
      "lib/made.mjs": `${MADE}export const risky = { ...plain, name: "risky", approval: "ask" };\n`,
      "agents/careful.md": agent(
        "careful",
        "toolsets: { mine: { module: ../lib/made.mjs, approval: { default: preApproved, tools: { plain: ask } } } }\n",
      ),
    });
    const { results } = await run(await folder.open(), "careful", [{ tool: "mine__plain" }, { tool: "mine__risky" }]);
    expect(codes(results)).toEqual(["denied", "denied"]);
  });

  test("add a toolset of the workspace that is merely named to the agent's list", async () => {
    const folder = makeFolder({
      "pegboard.yaml": "version: 1\nagents: { tools: none }\ntoolsets: { kit: { module: ./lib/made.mjs } }\n",
      "lib/made.mjs": MADE,
      "agents/some.md": agent("some", "toolsets: { kit: {} }\n"),
      "agents/none.md": agent("none"),
    });
    const workspace = await folder.open();
    expect((await run(workspace, "some", [])).tools).toEqual(["kit__plain"]);
    expect((await run(workspace, "none", [])).tools).toEqual([]);
  });

  test("A1-26: can take files away and give none", async () => {
    const folder = makeFolder({
      "pegboard.yaml":
        "version: 1\ntoolsets: { filesystem: {} }\npolicy: { rules: [{ tool: write_file, approval: preApproved }] }\n",
      "docs/a.md": "in docs",
      "secret/b.md": "secret",
      "agents/reader.md": agent(
        "reader",
        "tools: [vfs_list]\ntoolsets: { filesystem: { paths: [/docs], readonly: true } }\n",
      ),
    });
    const workspace = await folder.open();
    const calls = [
      { tool: "read_file", input: { path: "/docs/a.md" } },
      { tool: "read_file", input: { path: "/secret/b.md" } },
      { tool: "write_file", input: { path: "/docs/c.md", content: "x" } },
    ];
    const { results } = await run(workspace, "reader", calls);
    expect(codes(results)).toEqual([undefined, "denied", "blocked"]);
    const narrow = { session: { filesystem: { paths: ["/secret"] } } };
    expect((await run(workspace, "reader", calls, narrow)).result.error).toMatchObject({ code: "denied" });
    expect(existsSync(join(folder.path, "docs/c.md"))).toBe(false);
  });

  test("A1-26: of an agent that another one asked take away from what that one has, which keeps it", async () => {
    const read = "- calls: [{ tool: read_file, input: { path: /secret/b.md } }]\n- text: Done.\n";
    const ask = (name: string) =>
      `- calls: [{ tool: agent, input: { agent: ${name}, prompt: Read } }]\n- text: Done.\n`;
    const folder = makeFolder({
      "pegboard.yaml": "version: 1\ntoolsets: { filesystem: {} }\n",
      "docs/a.md": "in docs",
      "secret/b.md": "secret",
      "read.yaml": read,
      "plain.yaml": ask("plain"),
      "wide.yaml": ask("wide"),
      "change.yaml": "- calls: [{ tool: write_file, input: { path: /docs/new.md, content: x } }]\n- text: Done.\n",
      "then.yaml": `- calls: [{ tool: agent, input: { agent: narrow, prompt: Write } }]
- calls: [{ tool: write_file, input: { path: /docs/new.md, content: x } }]
- text: Done.
`,
      "agents/outer.md": agent("outer", "toolsets: { filesystem: { paths: [/docs] } }\n"),
      "agents/plain.md": agent("plain", "model: scripted:read.yaml\n"),
      "agents/narrow.md": agent(
        "narrow",
        "model: scripted:change.yaml\ntoolsets: { filesystem: { paths: [/docs], readonly: true } }\n",
      ),
      "agents/wide.md": agent("wide", "model: scripted:read.yaml\ntoolsets: { filesystem: { paths: [/secret] } }\n"),
    });
    const workspace = await folder.open();
    const codesOf = async (script: string) => {
      const session = workspace.open({ approve: "all" });
      await session.run("outer", "Go", { model: `scripted:${script}` }).result;
      const ends = await workspace.store.read({ session: session.id, type: "call-end" });
      return ends.map(({ data }) => {
        const { tool, result } = data as unknown as { tool: string; result: Result };
        return [tool, result.error?.code];
      });
    };
    expect(await codesOf("plain.yaml")).toEqual([
      ["read_file", "denied"],
      ["agent", undefined],
    ]);
    expect(await codesOf("wide.yaml")).toEqual([["agent", "denied"]]);
    expect(await codesOf("then.yaml")).toEqual([
      ["write_file", "blocked"],
      ["agent", undefined],
      ["write_file", undefined],
    ]);
  });

  test("can forbid commands and allow none", async () => {
    const folder = makeFolder({
      "pegboard.yaml":
        "version: 1\ntoolsets:\n  shell:\n    default: ask\n    rules: [{ pattern: echo, approval: preApproved }, { pattern: pwd, approval: preApproved }]\n",
      "agents/typist.md": agent(
        "typist",
        "toolsets:\n  shell:\n    rules: [{ pattern: echo, approval: preApproved }, { pattern: date, approval: preApproved }]\n",
      ),
    });
    const workspace = await folder.open();
    const commands = ["echo hi", "pwd", "date", "echo hi && pwd"];
    const { results } = await run(
      workspace,
      "typist",
      commands.map((command) => ({ tool: "shell", input: { command } })),
    );
    expect(codes(results)).toEqual([undefined, "blocked", "denied", "blocked"]);
    expect(results[1]?.error?.message).toContain('the rules of agent "typist"');
  });
});
