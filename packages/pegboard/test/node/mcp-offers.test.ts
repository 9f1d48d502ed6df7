import { Client, type ClientOptions, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../../src/node/index.ts";
import { makeNotes, SCRIPTS, until } from "../fixtures/mcp/place.ts";
import { makeFolder } from "./workspace-folder.ts";

const TOKEN = "a-token-of-a-test-that-nobody-guesses-0000";
const LIBRARY = { command: process.execPath, args: [SCRIPTS.library] };
const ALLOWED = "{ toolset: lib, approval: preApproved }";

describe.each(["legacy", "auto"] as const)("what an MCP server of a workspace offers, for clients (%s)", (mode) => {
  /** A server of ours before a workspace, and a client of it. */
  async function open(rule: string, options: ClientOptions = {}, files: Readonly<Record<string, string>> = {}) {
    const folder = makeFolder({
      "pegboard.yaml": `version: 1\nmcpServers: { lib: ${JSON.stringify(LIBRARY)} }\npolicy: { rules: [${rule}] }\n`,
      ...files,
    });
    const workspace = await folder.open();
    const server = await startServer(workspace, { token: TOKEN, port: 0 });
    const client = new Client({ name: "test", version: "1" }, { ...options, versionNegotiation: { mode } });
    const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }));
    onTestFinished(async () => {
      await client.close();
      await server.close(AbortSignal.abort());
    });
    return { client, workspace, folder };
  }

  const uris = async (client: Client) => (await client.listResources()).resources.map(({ uri }) => uri);
  const names = async (client: Client) => (await client.listPrompts()).prompts.map(({ name }) => name);

  it("are prompts under the name of the server, which are called up and completed there", async () => {
    const { client } = await open(ALLOWED);
    const { prompts } = await client.listPrompts();
    const given = [{ name: "to", description: "Whom", required: true }];
    expect(prompts).toEqual([{ name: "lib__letter", description: "A letter", arguments: given }]);
    expect((await client.getPrompt({ name: "lib__letter", arguments: { to: "Ben" } })).messages).toEqual([
      { role: "user", content: { type: "text", text: "Write a letter to Ben." } },
    ]);
    const ref = { type: "ref/prompt", name: "lib__letter" } as const;
    const { completion } = await client.complete({ ref, argument: { name: "to", value: "A" } });
    expect(completion.values).toEqual(["Ann"]);
  });

  it("are resources with the addresses of the server, but for those that are ours", async () => {
    const { client } = await open(ALLOWED);
    expect(await uris(client)).toEqual(["book://1"]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("book://{id}/{+part}");
    expect((await client.readResource({ uri: "book://1" })).contents).toEqual([
      { uri: "book://1", mimeType: "text/plain", text: "Call me Ishmael." },
    ]);
    expect((await client.readResource({ uri: "book://2/note" })).contents).toMatchObject([{ text: "A note" }]);
    await expect(client.readResource({ uri: "book://2/other" })).rejects.toThrow(/not found/i);
    await expect(client.readResource({ uri: "film://1" })).rejects.toThrow(/not found/i);
  });

  it("are read by a tool, so that whoever must agree is asked", async () => {
    const asked: unknown[] = [];
    const { client } = await open("", { capabilities: { elicitation: { form: {} } } });
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: "accept", content: { answer: "allow once" } };
    });
    expect((await client.readResource({ uri: "book://1" })).contents).toMatchObject([{ text: "Call me Ishmael." }]);
    expect(asked).toEqual([expect.stringContaining("lib__read_resource")]);
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("lib__read_resource");
    await client.readResource({ uri: "book://1" });
    expect(asked).toHaveLength(2);
  });

  it("are hidden where policy blocks the server", async () => {
    const { client } = await open("{ toolset: lib, approval: blocked }");
    expect(await names(client)).toEqual([]);
    expect(await uris(client)).toEqual([]);
    await expect(client.getPrompt({ name: "lib__letter", arguments: { to: "Ben" } })).rejects.toThrow("no prompt");
    await expect(client.readResource({ uri: "book://1" })).rejects.toThrow(/not found/i);
  });

  it("change when the server says so, and clients are told", async () => {
    let told = 0;
    const listChanged = { prompts: { autoRefresh: false, onChanged: () => void told++ } };
    const { client } = await open(ALLOWED, { listChanged });
    expect(await names(client)).toEqual(["lib__letter"]);
    told = 0;
    await client.callTool({ name: "lib__learn", arguments: { topic: "poem" } });
    await until(() => told > 0);
    expect((await client.request({ method: "prompts/list" })).prompts.map(({ name }) => name)).toEqual([
      "lib__letter",
      "lib__poem",
    ]);
  });
});

it("what a server of a list of another program offers is remembered, and listed without starting it", async () => {
  const notes = makeNotes();
  const lib = { ...LIBRARY, args: [...LIBRARY.args, notes.file] };
  const folder = makeFolder({
    "pegboard.yaml": "version: 1\nmcpServers: { lib: { file: .mcp.json } }\n",
    ".mcp.json": JSON.stringify({ mcpServers: { lib } }),
  });
  const first = await folder.open();
  expect(first.prompts.list().map(({ id }) => id)).toEqual(["lib:letter"]);
  await first.close();
  const before = notes.lines();
  expect(before.length).toBeGreaterThan(0);
  const again = await folder.open();
  expect(again.prompts.list().map(({ id }) => id)).toEqual(["lib:letter"]);
  expect(again.resources.list().map(({ id }) => id)).toEqual(["lib:A part of a book", "lib:Moby-Dick"]);
  expect(notes.lines()).toEqual(before);
});

it("what the server of a plugin offers carries the name of both, and goes with the plugin", async () => {
  const folder = makeFolder({
    "plugins/acme/.claude-plugin/plugin.json": '{"name":"acme"}',
    "plugins/acme/.mcp.json": JSON.stringify({ lib: LIBRARY }),
  });
  const workspace = await folder.open();
  await until(() => workspace.prompts.list().length > 0);
  expect(workspace.prompts.list()).toMatchObject([{ id: "acme-lib:letter", plugin: "acme" }]);
  expect(workspace.resources.find("acme-lib:Moby-Dick").item.tool).toBe("acme-lib__read_resource");
  expect(workspace.tools.names()).toContain("acme-lib__read_resource");
  await workspace.plugins.remove("acme");
  expect([...workspace.prompts.list(), ...workspace.resources.list()]).toEqual([]);
});
