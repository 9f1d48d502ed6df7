import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { scriptedModel } from "../../src/index.ts";
import { findBubblewrap } from "../../src/node/sandbox/bubblewrap.ts";
import { makeNotes, type Notes, SCRIPTS, until } from "../fixtures/mcp/place.ts";
import { makeFolder } from "./workspace-folder.ts";

const raw = (mode: string, notes: Notes) => JSON.stringify([SCRIPTS.raw, mode, notes.file]);
const config = (servers: string, more = "") => `version: 1\nmcpServers:\n${servers}${more}`;
const starts = (notes: Notes) => notes.lines().filter((line) => line.startsWith("started")).length;
const ALLOW = `policy: { rules: [{ tool: "raw__*", approval: preApproved }] }\n`;

describe("mcpServers of a workspace", () => {
  test("bring their tools, which policy decides about", async () => {
    const notes = makeNotes();
    const folder = makeFolder({
      "pegboard.yaml": config(`  raw: { command: node, args: ${raw("plain", notes)} }\n`, ALLOW),
    });
    const workspace = await folder.open();
    const session = workspace.open();
    expect(session.list().find(({ name }) => name === "raw__echo")).toMatchObject({
      approval: "preApproved",
      source: { kind: "mcp", id: "raw", file: join(folder.path, "pegboard.yaml") },
    });
    expect(await session.call("raw__echo", { text: "hi" })).toMatchObject({ content: [{ text: "hi" }] });
  });

  test("start nothing, and open nothing, before the workspace is trusted", async () => {
    const notes = makeNotes();
    const folder = makeFolder({
      "pegboard.yaml": config(`  raw: { command: node, args: ${raw("plain", notes)} }\n`, ALLOW),
    });
    const workspace = await folder.open({ trust: false });
    expect(workspace.held).toEqual([expect.stringContaining(`MCP server "raw" (command: ["node","${SCRIPTS.raw}"`)]);
    expect(await workspace.open().call("raw__echo", {})).toMatchObject({ error: { code: "not_found" } });
    expect(existsSync(notes.file)).toBe(false);
  });

  test("are listed without being started once they are known, and started by a call", async () => {
    const notes = makeNotes();
    const folder = makeFolder({
      "pegboard.yaml": config(`  raw: { command: node, args: ${raw("plain", notes)} }\n`, ALLOW),
    });
    await (await folder.open()).close();
    const workspace = await folder.open();
    const session = workspace.open();
    expect(session.list().map(({ name }) => name)).toContain("raw__echo");
    expect(starts(notes)).toBe(1);
    expect(await session.call("raw__echo", { text: "hi" })).toMatchObject({ ok: true });
    expect(starts(notes)).toBe(2);
  });

  test("come from a file that others write, one by one and with variables", async () => {
    const notes = makeNotes();
    const folder = makeFolder({
      "pegboard.yaml": config(`  raw: { file: .mcp.json, server: "my server" }\n  other: { file: .mcp.json }\n`),
      ".mcp.json": JSON.stringify({
        mcpServers: {
          "my server": { command: "node", args: [SCRIPTS.raw, "${P5_MODE:-plain}", notes.file] },
          unused: {},
        },
      }),
    });
    const workspace = await folder.open({ trust: false });
    expect(workspace.trust.files).toContain(".mcp.json");
    const trusted = await folder.open();
    expect(trusted.diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining(
        `MCP server "other" is left out: ${join(folder.path, ".mcp.json")} has no server "other"`,
      ),
    ]);
    expect(trusted.tools.names()).toContain("raw__echo");
  });

  test("PM050: are no command lines of a shell; a bad one is left out with its line, the others stay", async () => {
    const notes = makeNotes();
    const servers = `  x: { command: "npx evil && curl x" }\n  raw: { command: node, args: ${raw("plain", notes)} }\n  y: { comand: node }\n`;
    const folder = makeFolder({ "pegboard.yaml": config(servers) });
    const { diagnostics, tools } = await folder.open();
    expect(diagnostics.find(({ line }) => line === 3)).toMatchObject({
      severity: "error",
      message: expect.stringContaining("command must be one program") as string,
    });
    expect(diagnostics.some(({ message }) => message.includes("comand"))).toBe(true);
    expect(tools.names()).toContain("raw__echo");
  });

  test("PM051: ask again for trust when anything about them changes", async () => {
    const folder = makeFolder({ "pegboard.yaml": config("  x: { command: npx, args: [good] }\n") });
    const { trust } = await folder.open({ trust: false });
    folder.write("pegboard.yaml", config("  x: { command: npx, args: [evil] }\n"));
    expect((await folder.open({ trust: false })).trust.digest).not.toBe(trust.digest);
  });

  test("that cannot be had leave a warning, and everything else works", async () => {
    const folder = makeFolder({
      "pegboard.yaml": config(
        '  gone: { command: no-such-program }\n  later: { command: x, env: { K: "${P5_UNSET}" } }\n',
      ),
    });
    const workspace = await folder.open();
    expect(workspace.diagnostics).toEqual([
      expect.objectContaining({
        severity: "warning",
        line: 3,
        message: expect.stringContaining("was not found") as string,
      }),
      expect.objectContaining({
        severity: "warning",
        line: 4,
        message: expect.stringContaining("P5_UNSET is not set") as string,
      }),
    ]);
    expect(await workspace.open().call("vfs_list", {})).toMatchObject({ ok: true });
  });

  test("whose script changed are not started again unless the workspace is trusted anew", async () => {
    const notes = makeNotes();
    const folder = makeFolder({
      "server.ts": readFileSync(SCRIPTS.raw, "utf8"),
      "pegboard.yaml": config(`  raw: { command: node, args: [server.ts, plain, "${notes.file}"] }\n`, ALLOW),
    });
    const workspace = await folder.open();
    const session = workspace.open();
    expect(await session.call("raw__die", {})).toMatchObject({ error: { code: "unavailable" } });
    writeFileSync(join(folder.path, "server.ts"), `${readFileSync(SCRIPTS.raw, "utf8")}\n// other\n`);
    const before = starts(notes);
    expect((await session.call("raw__echo", {})).error?.message).toMatch(/has changed since it was loaded/);
    expect(starts(notes)).toBe(before);
  });
});

test.runIf((await findBubblewrap()).usable)(
  "a server is confined where that is required, and free where it is not",
  async () => {
    const folders = await Promise.all(
      [true, false].map(async (required) => {
        const notes = makeNotes();
        const servers = `  raw: { command: node, args: ${raw("plain", notes)} }\n`;
        const folder = makeFolder({ "pegboard.yaml": config(servers, `sandbox: { required: ${required} }\n${ALLOW}`) });
        const result = await (await folder.open()).open().call("raw__echo", { text: "hi" });
        return { ok: result.ok, wrote: existsSync(notes.file) };
      }),
    );
    // The folder for temporary files, where the notes are, is empty and its own for what is confined.
    expect(folders).toEqual([
      { ok: false, wrote: false },
      { ok: true, wrote: true },
    ]);
  },
);

describe("a definition that changes", () => {
  const open = async (rules: string) => {
    const notes = makeNotes();
    const folder = makeFolder({
      "pegboard.yaml": config(`  raw: { command: node, args: ${raw("changes", notes)} }\n`, rules),
    });
    const asked: string[] = [];
    const workspace = await folder.open({
      approver: async ({ reason }) => {
        asked.push(reason);
        return { decision: "allow" };
      },
    });
    return { notes, asked, workspace, session: workspace.open(), folder };
  };

  test("asks again although a rule allows the tool, once, and is told to whoever lists", async () => {
    const { notes, asked, session, workspace } = await open(ALLOW);
    expect(await session.call("raw__echo", { text: "a" })).toMatchObject({ ok: true });
    expect(asked).toEqual([]);
    writeFileSync(`${notes.file}.later`, "");
    await until(() => workspace.tools.get("raw__echo")?.description === "Sends it away");
    expect(await session.call("raw__echo", { text: "b" })).toMatchObject({ ok: true });
    expect(asked).toEqual([expect.stringContaining("not what was agreed to before")]);
    await until(() => session.list().some(({ name, approval }) => name === "raw__echo" && approval === "preApproved"));
    await session.call("raw__echo", { text: "c" });
    expect(asked).toHaveLength(1);
  });

  test("is noticed by the next process too, and a call never reaches a tool that is not the one listed", async () => {
    const { notes, workspace, folder, asked } = await open(ALLOW);
    await workspace.close();
    writeFileSync(`${notes.file}.later`, "");
    const next = await folder.open();
    const session = next.open();
    expect(session.list().find(({ name }) => name === "raw__echo")?.description).toBe("Says it");
    expect((await session.call("raw__echo", {})).error?.message).toMatch(
      /no longer has the tool "echo" as it was listed/,
    );
    await until(() => next.tools.get("raw__echo")?.description === "Sends it away");
    expect(await session.call("raw__echo", {})).toMatchObject({ error: { code: "denied" } });
    expect(asked).toEqual([]);
  });
});

describe("an agent with mcpServers", () => {
  const agent = (servers: string) => `---\nname: helper\ndescription: Helps\nmcpServers:\n${servers}---\nHelp.\n`;
  const script = (tool: string) => scriptedModel([{ calls: [{ tool, input: { text: "hi" } }] }, { text: "done" }]);

  async function run(servers: string, tool: string, pegboard = "version: 1\n") {
    const folder = makeFolder({ "pegboard.yaml": pegboard, "agents/helper.md": agent(servers) });
    const workspace = await folder.open({ approve: "all" });
    const session = workspace.open();
    const model = script(tool);
    const result = await session.run("helper", "go", { model }).result;
    await session.close();
    const events = await Array.fromAsync(session.events());
    const ends = events.filter(({ type }) => type === "call-end").map(({ data }) => data as { ok: boolean });
    return { result, ends, workspace, session };
  }

  test("A0-45: has the tools of a server that it brings, by the server's name, and nobody else has", async () => {
    const notes = makeNotes();
    const { result, ends, workspace } = await run(
      `  raw: { command: node, args: ${raw("plain", notes)} }\n`,
      "raw__echo",
    );
    expect(result).toMatchObject({ status: "completed", text: "done" });
    expect(ends).toMatchObject([{ tool: "raw__echo", ok: true }]);
    expect(workspace.tools.names()).not.toContain("raw__echo");
  });

  test("A0-45: works on with a warning when a server cannot be had, or is not there", async () => {
    const { result } = await run("  - gone: { command: no-such-program }\n  - unknown\n", "vfs_list");
    expect(result).toMatchObject({ status: "completed", text: "done" });
    expect(result.warnings).toEqual([
      expect.stringContaining('MCP server "gone" could not be connected to'),
      'MCP server "unknown" is not among those of the workspace',
    ]);
  });

  test("A0-45: gets an error result from a server that has dropped out, and goes on", async () => {
    const notes = makeNotes();
    const { result, ends } = await run(`  raw: { command: node, args: ${raw("plain", notes)} }\n`, "raw__die");
    expect(result).toMatchObject({ status: "completed", text: "done" });
    expect(ends).toMatchObject([{ tool: "raw__die", ok: false, error: { code: "unavailable" } }]);
  });

  test("has those of a server of the workspace that it names", async () => {
    const notes = makeNotes();
    const pegboard = config(`  raw: { command: node, args: ${raw("plain", notes)} }\n`);
    const { ends } = await run("  - raw\n", "raw__echo", pegboard);
    expect(ends).toMatchObject([{ tool: "raw__echo", ok: true }]);
  });

  test("starts nothing in a workspace that is not trusted, and is shown in full to whoever decides", async () => {
    const notes = makeNotes();
    const folder = makeFolder({
      "agents/helper.md": agent(`  raw: { command: node, args: ${raw("plain", notes)} }\n`),
    });
    const workspace = await folder.open({ trust: false, approve: "all" });
    const result = await workspace.open().run("helper", "go", { model: script("raw__echo") }).result;
    expect(result.status).not.toBe("completed");
    expect(existsSync(notes.file)).toBe(false);
    expect(workspace.trust.files).toContain(join("agents", "helper.md"));
  });
});
