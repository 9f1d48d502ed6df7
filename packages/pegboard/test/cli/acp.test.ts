import { once } from "node:events";
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { Readable, Writable } from "node:stream";
import { type McpServer, ndJsonStream } from "@agentclientprotocol/sdk";
import { describe, expect, it, onTestFinished } from "vitest";
import { SCRIPTS } from "../fixtures/mcp/place.ts";
import { type ClientSettings, speak } from "../transports/acp/stage.ts";
import { makeAgentPlace } from "./agent-place.ts";
import type { Place, RunOptions } from "./run.ts";

/** Starts the command as an editor does, which speaks to it with the official SDK. */
async function startEditor(
  place: Place,
  settings: ClientSettings = {},
  run: RunOptions = {},
  ...argv: readonly string[]
) {
  const child = place.start(run, "acp", ...argv);
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr!.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = once(child, "close") as Promise<[number | null]>;
  const [input, output] = [Writable.toWeb(child.stdin!), Readable.toWeb(child.stdout!)];
  const client = await speak(ndJsonStream(input, output as ReadableStream<Uint8Array>), settings, place.folder);
  const hangUp = async () => {
    child.stdin!.end();
    return (await ended)[0];
  };
  return { ...client, child, ended, hangUp, stderr: () => stderr };
}

const FILES = "version: 1\nmodel: scripted:script.json\ntoolsets: { filesystem: {} }\n";

describe("pegboard acp", () => {
  it("works on the files of a workspace for an editor, and shows every change", async () => {
    const place = makeAgentPlace(
      [
        { calls: [{ tool: "edit_file", input: { path: "/a.md", edits: [{ old: "old", new: "new" }] } }] },
        "It is new now.",
      ],
      { "pegboard.yaml": FILES, "a.md": "the old text\n" },
    );
    const editor = await startEditor(place, {}, {}, "helper");
    const id = await editor.open();
    expect(await editor.prompt(id, "Renew it")).toBe("end_turn");
    expect(editor.said()).toBe("It is new now.");
    const path = place.path("a.md");
    expect(editor.of("tool_call")[0]).toMatchObject({ kind: "edit", locations: [{ path }] });
    expect(editor.asked[0]!.toolCall.content![0]).toEqual({ type: "diff", path, oldText: "old", newText: "new" });
    expect(editor.of("tool_call_update").at(-1)).toMatchObject({
      status: "completed",
      content: [{ type: "diff", path, oldText: "the old text\n", newText: "the new text\n" }],
    });
    expect(place.read("a.md")).toBe("the new text\n");
    expect(await editor.hangUp()).toBe(0);
  });

  it("finds the workspace of each session, wherever the editor was started", async () => {
    const place = makeAgentPlace(["Here I am."]);
    const editor = await startEditor(place, {}, { cwd: realpathSync(tmpdir()) }, "helper");
    await editor.prompt(await editor.open(), "Where are you?");
    expect(editor.said()).toBe("Here I am.");
    await expect(
      editor.agent.request("session/new", { cwd: place.path("nowhere"), mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32602, message: expect.stringContaining("no folder") });
  });

  it("goes on in another process where the first one ended", async () => {
    const place = makeAgentPlace(["One", { text: "Two", expect: "And?" }]);
    const first = await startEditor(place, {}, {}, "helper");
    const sessionId = await first.open();
    await first.prompt(sessionId, "Hello");
    expect(await first.hangUp()).toBe(0);
    const second = await startEditor(place, {}, {}, "helper");
    const { sessions } = await second.agent.request("session/list", { cwd: place.folder });
    expect(sessions).toMatchObject([{ sessionId, cwd: place.folder, title: "Hello" }]);
    await second.agent.request("session/load", { sessionId, cwd: place.folder, mcpServers: [] });
    await second.prompt(sessionId, "And?");
    expect(second.said()).toBe("OneTwo");
  });

  it("hangs the MCP servers that the editor hands over, for that session", async () => {
    const place = makeAgentPlace([{ calls: [{ tool: "sums__add", input: { a: 1, b: 2 } }] }, "Done"]);
    const editor = await startEditor(place, {}, {}, "helper");
    const mcpServers: McpServer[] = [
      { name: "sums", command: process.execPath, args: [SCRIPTS.sdk2], env: [] },
      { name: "broken", command: "/no/such/program", args: [], env: [] },
    ];
    const { sessionId } = await editor.agent.request("session/new", { cwd: place.folder, mcpServers });
    await editor.prompt(sessionId, "Add");
    expect(editor.asked.map(({ toolCall }) => toolCall.name)).toEqual(["sums__add"]);
    expect(editor.of("tool_call_update").at(-1)).toMatchObject({ status: "completed", rawOutput: { sum: 3 } });
    expect(editor.stderr()).toContain("/no/such/program");
    await editor.prompt(await editor.open(), "Add there too");
    expect(editor.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
    expect(await editor.hangUp()).toBe(0);
  });

  it("answers a line that is no JSON, writes nothing but the protocol, and lives on", async () => {
    const place = makeAgentPlace(["Hello"]);
    const outcome = await place.runWith(
      { stdin: `nonsense\n[]\n{"jsonrpc":"2.0","id":7,"method":"session/new","params":{}}\n${HELLO}\n` },
      "acp",
    );
    const lines = outcome.stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.map(({ id, error }) => [id, error?.code])).toEqual([
      [null, -32700],
      [null, -32600],
      [7, expect.any(Number)],
      [8, undefined],
    ]);
    expect(lines.at(-1).result).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: "pegboard" },
      agentCapabilities: { loadSession: true, mcpCapabilities: { http: true, sse: true } },
    });
    expect(outcome.code).toBe(0);
  });

  it("ends with its editor, also in the middle of a prompt", async () => {
    const place = makeAgentPlace([{ text: "Much too late", delay: "10m" }]);
    const editor = await startEditor(place, {}, {}, "helper");
    const prompted = editor.prompt(await editor.open(), "Take your time").catch(() => "gone");
    await expect.poll(async () => (await place.run("runs", "--json")).stdout, { timeout: 10_000 }).toContain("running");
    expect(await editor.hangUp()).toBe(0);
    expect(await prompted).toBe("gone");
    expect((await place.run("runs", "--json")).stdout).toContain("cancelled");
  });

  it.each([
    ["1s", "end_turn"],
    ["10m", "cancelled"],
  ])("is told to end: what takes %s more is answered with %s", async (delay, reason) => {
    const place = makeAgentPlace([{ text: "At last", delay }]);
    const editor = await startEditor(place, {}, {}, "helper");
    const id = await editor.open();
    const prompted = editor.prompt(id, "Take your time");
    await expect.poll(async () => (await place.run("runs", "--json")).stdout, { timeout: 10_000 }).toContain("running");
    editor.child.kill("SIGTERM");
    expect(await prompted).toBe(reason);
    expect((await editor.ended)[0]).toBe(0);
  });
});

const HELLO = JSON.stringify({ jsonrpc: "2.0", id: 8, method: "initialize", params: { protocolVersion: 1 } });
