import { once } from "node:events";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, it, vi } from "vitest";
import { makeNotes, SCRIPTS } from "../fixtures/mcp/place.ts";
import { makeAgentPlace } from "./agent-place.ts";
import { BIN, makePlace, type Place } from "./run.ts";

const TOOLS = `export const loud = {
  name: "loud",
  description: "Prints what is none of the client's business",
  input: { type: "object", properties: { text: { type: "string" } } },
  approval: "preApproved",
  execute({ text }) {
    console.log("this must not be on standard output");
    process.stdout.write("nor this\\n");
    return text ?? "";
  },
};
export const danger = {
  name: "danger",
  description: "Asks",
  input: { type: "object" },
  capabilities: ["write"],
  execute: () => "it is gone",
};
`;
const CONFIG = "version: 1\ntoolsets:\n  mine: { module: ./tools.ts }\n";

function place(): Place {
  return makePlace({ "pegboard.yaml": CONFIG, "tools.ts": TOOLS }, { trust: true });
}

function command({ folder, home }: Place, ...options: readonly string[]) {
  const env = { PATH: process.env["PATH"]!, PEGBOARD_HOME: home, PEGBOARD_TRUST: "1" };
  return { command: process.execPath, args: [BIN, "mcp", ...options], cwd: folder, env, stderr: "ignore" as const };
}

/** What the events of one type say, in their order. */
async function dataOf(here: Place, type: string): Promise<any[]> {
  const { stdout } = await here.run("log", "--type", type, "--json");
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).data);
}

describe("pegboard mcp", () => {
  it("serves a client of the old SDK, and nothing else is on standard output", async () => {
    const client = new OldClient({ name: "old", version: "1" });
    const transport = new OldStdio(command(place()));
    const errors: Error[] = [];
    transport.onerror = (error) => void errors.push(error);
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("mine__loud");
    const result = await client.callTool({ name: "mine__loud", arguments: { text: "hello" } });
    expect(result.content).toEqual([{ type: "text", text: "hello" }]);
    await client.close();
    expect(errors).toEqual([]);
  });

  it("serves a client of the new era", async () => {
    const mode = { pin: "2026-07-28" };
    const client = new Client({ name: "new", version: "1" }, { versionNegotiation: { mode } });
    await client.connect(new StdioClientTransport(command(place())));
    const result = await client.callTool({ name: "mine__loud", arguments: { text: "hello" } });
    expect(result.content).toEqual([{ type: "text", text: "hello" }]);
    await client.close();
  });

  it("lets a person answer from another process", async () => {
    const here = place();
    const client = new OldClient({ name: "old", version: "1" });
    await client.connect(new OldStdio(command(here)));
    const calling = client.callTool({ name: "mine__danger", arguments: {} });
    let id: string | undefined;
    await vi.waitUntil(
      async () => {
        const { approvals } = JSON.parse((await here.run("approvals", "list", "--json")).stdout);
        return (id = approvals[0]?.id) !== undefined;
      },
      { timeout: 15_000, interval: 200 },
    );
    expect((await here.run("approvals", "answer", id!, "allow")).code).toBe(0);
    expect((await calling).content).toEqual([{ type: "text", text: "it is gone" }]);
    await client.close();
  }, 30_000);

  it("A0-45: runs an agent that brings servers of its own, also one that cannot be had and one that drops out", async () => {
    const raw = JSON.stringify([SCRIPTS.raw, "plain", makeNotes().file]);
    const servers = `  raw: { command: node, args: ${raw} }\n  gone: { command: no-such-program }\n`;
    const turns = [
      { calls: [{ tool: "raw__echo", input: { text: "hi" } }] },
      { calls: [{ tool: "raw__die", input: {} }] },
      { text: "done" },
    ];
    const here = makeAgentPlace(turns, {
      "agents/helper.md": `---\nname: helper\ndescription: Helps\nmcpServers:\n${servers}---\nYou help.\n`,
    });
    const client = new OldClient({ name: "old", version: "1" });
    await client.connect(new OldStdio(command(here, "--approve", "all")));
    const result = await client.callTool({ name: "agent_helper", arguments: { prompt: "go" } });
    expect(result.content).toMatchObject([{ type: "text", text: "done" }, {}]);
    await client.close();
    expect((await dataOf(here, "call-end")).map(({ tool, ok, error }) => [tool, ok, error?.code])).toEqual([
      ["raw__echo", true, undefined],
      ["raw__die", false, "unavailable"],
      ["agent", true, undefined],
    ]);
    const [end] = await dataOf(here, "run-end");
    expect(end.warnings).toEqual([expect.stringContaining(`MCP server "gone" could not be connected to`)]);
  }, 30_000);

  it("answers what it was asked and ends when its input does, or when it is told to", async () => {
    const here = place();
    const hello = {
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "x", version: "1" } },
    };
    const { code, stdout } = await here.runWith({ stdin: `${JSON.stringify(hello)}\n` }, "mcp");
    expect(code).toBe(0);
    expect(JSON.parse(stdout).result.protocolVersion).toBe("2024-11-05");
    const child = here.start({}, "mcp");
    child.stdin!.write(`${JSON.stringify(hello)}\n`);
    await once(child.stdout!, "data");
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
  });
});
