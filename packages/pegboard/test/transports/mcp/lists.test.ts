import { describe, expect, it, vi } from "vitest";
import { definePlugin, defineTool } from "../../../src/index.ts";
import { scriptedModel } from "../../../src/models/scripted.ts";
import { toClientName } from "../../../src/transports/mcp/tool-name.ts";
import { ben, connectClient, echo, ERAS, openStage, WAYS } from "./stage.ts";

const ways = ERAS.flatMap((era) => WAYS.map((way) => ({ era, way })));
const later = defineTool({ ...echo, name: "later" });

describe.each(ways)("the list of a client of the $era era, by $way", ({ era, way }) => {
  it("A4-14: changes while the client is there, who is told", async () => {
    const stage = openStage();
    const told = vi.fn();
    const client = await connectClient(stage, {
      era,
      way,
      listChanged: { tools: { onChanged: told, autoRefresh: false } },
    });
    // The stream for what happens between requests is opened after the handshake.
    if (era === "legacy" && way === "http") await new Promise((resolve) => setTimeout(resolve, 50));
    const registered = stage.desk.runtime.tools.register(later);
    await vi.waitUntil(() => told.mock.calls.length > 0);
    const { tools } = await client.listTools({}, { cacheMode: "bypass" } as never);
    expect(tools.map(({ name }) => name)).toContain("later");
    registered[Symbol.dispose]();
    await client.close();
    await stage.close();
  });
});

describe("a list", () => {
  it("A3-05: has the tools of several plugins under their names, and nothing of one without tools", async () => {
    const stage = openStage({ tools: [] });
    const { plugins } = stage.desk.runtime;
    await plugins.add({ plugin: definePlugin({ name: "mail", version: "1.0.0", tools: [echo] }) });
    await plugins.add({ plugin: definePlugin({ name: "calendar", version: "1.0.0", tools: [echo, later] }) });
    await plugins.add({ plugin: definePlugin({ name: "empty", version: "1.0.0" }) });
    const client = await connectClient(stage);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(["calendar__echo", "calendar__later", "mail__echo"]);
    await client.close();
    await stage.close();
  });

  it("has agents as tools, which answer through the tool that asks agents", async () => {
    const model = scriptedModel([{ text: "It is blue." }]);
    const agents = [
      { name: "painter", description: "Knows colours", instructions: "You know colours." },
      { name: "matcher", description: "Matches", instructions: "-", input: { type: "object", properties: { a: {} } } },
    ];
    const stage = openStage({ builtins: true, tools: [], agents, model }, { approve: "all" });
    const client = await connectClient(stage);
    const { tools } = await client.listTools();
    const offered = tools.filter(({ name }) => name.startsWith("agent_"));
    expect(offered.map(({ name }) => name)).toEqual(["agent_assistant", "agent_matcher", "agent_painter"]);
    expect(offered[1]!.inputSchema.properties).toEqual({ a: {} });
    const result = await client.callTool({ name: "agent_painter", arguments: { prompt: "What colour is the sky?" } });
    expect(result.content[0]).toEqual({ type: "text", text: "It is blue." });
    await client.close();
    await stage.close();
  });

  it("has names that every client keeps, which stay the same and can be called", async () => {
    const name = `a_tool_with_a_name_that_is_longer_than_clients_keep`;
    const stage = openStage({ tools: [defineTool({ ...echo, name })] });
    const client = await connectClient(stage);
    const [tool] = (await client.listTools()).tools;
    expect(tool!.name).toHaveLength(45);
    expect(tool!.name).toBe(toClientName(name));
    for (const called of [tool!.name, name]) {
      const { content } = await client.callTool({ name: called, arguments: { text: "x" } });
      expect(content).toEqual([{ type: "text", text: "x" }]);
    }
    await client.close();
    await stage.close();
  });

  it("depends on whoever asks, and what is not listed is not called", async () => {
    const rules = [{ tool: "danger", client: "test", approval: "blocked" }] as const;
    const stage = openStage({ policy: { rules } });
    for (const way of WAYS) {
      const theirs = await connectClient(stage, { way, era: "modern" });
      const others = await connectClient(stage, { way, era: "modern", principal: ben });
      expect((await theirs.listTools()).tools.map(({ name }) => name)).toEqual(["echo"]);
      expect((await others.listTools()).tools.map(({ name }) => name)).toEqual(["danger", "echo"]);
      const result = await theirs.callTool({ name: "danger" });
      expect(result).toMatchObject({ isError: true, _meta: { "pegboard/error": { code: "blocked" } } });
      await theirs.close();
      await others.close();
    }
    await stage.close();
  });

  it("hints at what a tool touches", async () => {
    const touching = defineTool({ ...echo, name: "touching", capabilities: ["write", "network"] });
    const reading = defineTool({ ...echo, name: "reading", capabilities: ["read"] });
    const stage = openStage({ tools: [echo, touching, reading] });
    const client = await connectClient(stage);
    const { tools } = await client.listTools();
    expect(tools.map(({ annotations }) => annotations)).toEqual([
      undefined,
      { readOnlyHint: true, openWorldHint: false },
      { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    ]);
    await client.close();
    await stage.close();
  });
});
