import { afterEach, describe, expect, it } from "vitest";
import { defineTool } from "../../../src/index.ts";
import type { Turn } from "../../../src/testing/index.ts";
import { connectClient, openStage, type Stage } from "./stage.ts";

let stage: Stage;
afterEach(() => stage.close());

const CALL_ECHO: Turn = { calls: [{ tool: "echo", input: { text: "a" } }] };

describe("sessions", () => {
  it("are listed with their folder and first words, for their principal alone", async () => {
    stage = openStage(["One", "Two"]);
    const client = await connectClient(stage);
    const id = await client.open();
    await client.open();
    await client.prompt(id, "First words\nand more");
    await client.prompt(id, "Later words");
    const { sessions } = await client.agent.request("session/list", {});
    expect(sessions).toMatchObject([{ sessionId: id, cwd: "/some/place", title: "First words" }]);
    const elsewhere = await client.agent.request("session/list", { cwd: "/some/other" });
    expect(elsewhere.sessions).toEqual([]);
    const other = await connectClient(stage, { principal: "ben" });
    expect((await other.agent.request("session/list", {})).sessions).toEqual([]);
    await expect(client.agent.request("session/list", { cursor: "x" })).rejects.toMatchObject({ code: -32602 });
  });

  it("are loaded with all that was said, and go on", async () => {
    stage = openStage([CALL_ECHO, "One", { text: "Two", expect: "And?" }]);
    const first = await connectClient(stage);
    const sessionId = await first.open();
    await first.prompt(sessionId, "Hello");
    first.close();
    await first.served.closed;
    expect(stage.desk.sessions({ id: "ann" })).toEqual([]);
    const client = await connectClient(stage);
    const state = await client.agent.request("session/load", { sessionId, cwd: "/some/place", mcpServers: [] });
    expect(state.modes).toMatchObject({ currentModeId: "ask" });
    expect(client.updates.map(({ sessionUpdate }) => sessionUpdate)).toEqual([
      "user_message_chunk",
      "tool_call",
      "tool_call_update",
      "agent_message_chunk",
    ]);
    expect(client.of("tool_call_update")[0]).toMatchObject({
      toolCallId: client.of("tool_call")[0]!.toolCallId,
      status: "completed",
    });
    await client.prompt(sessionId, "And?");
    expect(client.said()).toBe("OneTwo");
  });

  it("are loaded also when nothing was said", async () => {
    stage = openStage(["One"]);
    const client = await connectClient(stage, { capabilities: { terminal: true } });
    const sessionId = await client.open();
    await client.agent.request("session/load", { sessionId, cwd: "/some/place", mcpServers: [] });
    expect(client.updates).toEqual([]);
    expect(await client.prompt(sessionId, "Hello")).toBe("end_turn");
  });

  it("are resumed without being told again", async () => {
    stage = openStage(["One", "Two"]);
    const first = await connectClient(stage);
    const sessionId = await first.open();
    await first.prompt(sessionId, "Hello");
    await first.agent.request("session/close", { sessionId });
    await expect(first.prompt(sessionId, "And?")).rejects.toMatchObject({ code: -32002 });
    await first.agent.request("session/resume", { sessionId, cwd: "/some/place" });
    await first.prompt(sessionId, "And?");
    expect(first.said()).toBe("OneTwo");
  });

  it("of others do not exist", async () => {
    stage = openStage(["One"]);
    const ann = await connectClient(stage);
    const sessionId = await ann.open();
    await ann.prompt(sessionId, "Hello");
    const ben = await connectClient(stage, { principal: "ben" });
    const taking = { sessionId, cwd: "/", mcpServers: [] };
    await expect(ben.agent.request("session/load", taking)).rejects.toMatchObject({ code: -32002 });
    await expect(ben.agent.request("session/resume", taking)).rejects.toMatchObject({ code: -32002 });
    await expect(ben.prompt(sessionId, "Hi")).rejects.toMatchObject({ code: -32002 });
    // The SDK takes "not found" for an answer to a delete.
    await ben.agent.request("session/delete", { sessionId });
    expect((await stage.runtime.sessions.list()).map(({ session }) => session)).toEqual([sessionId]);
  });

  it("are deleted for good", async () => {
    stage = openStage(["One"]);
    const client = await connectClient(stage);
    const sessionId = await client.open();
    await client.prompt(sessionId, "Hello");
    await client.agent.request("session/delete", { sessionId });
    expect(await stage.runtime.sessions.list()).toEqual([]);
    expect(stage.desk.sessions({ id: "ann" })).toEqual([]);
  });

  it("need an absolute folder", async () => {
    stage = openStage([]);
    const client = await connectClient(stage);
    await expect(client.agent.request("session/new", { cwd: "here", mcpServers: [] })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("absolute"),
    });
  });

  it("talk with the agent that the client chooses", async () => {
    stage = openStage([{ text: "I am the poet", expect: "Who" }], {
      agents: [{ name: "poet", description: "Writes", instructions: "You write." }],
    });
    const client = await connectClient(stage);
    const { sessionId, configOptions } = await client.agent.request("session/new", { cwd: "/", mcpServers: [] });
    const agents = configOptions!.find(({ id }) => id === "agent");
    expect(agents).toMatchObject({ currentValue: "assistant", options: [{ value: "assistant" }, { value: "poet" }] });
    const set = (configId: string, value: string) =>
      client.agent.request("session/set_config_option", { sessionId, configId, value });
    const { configOptions: after } = await set("agent", "poet");
    expect(after.find(({ id }) => id === "agent")).toMatchObject({ currentValue: "poet" });
    await client.prompt(sessionId, "Who are you?");
    expect((await stage.runtime.sessions.runs())[0]).toMatchObject({ agent: "poet" });
    await expect(set("agent", "nobody")).rejects.toMatchObject({ code: -32002 });
    await expect(set("color", "red")).rejects.toMatchObject({ code: -32602 });
  });

  it("end with their client: what runs is cancelled, and they are closed", async () => {
    const cancelled = Promise.withResolvers<void>();
    const wait = defineTool({
      name: "wait",
      description: "Waits until it is cancelled",
      input: { type: "object" },
      approval: "preApproved",
      execute: (_, { signal }) =>
        new Promise((resolve) =>
          signal.addEventListener("abort", () => {
            cancelled.resolve();
            resolve("");
          }),
        ),
    });
    stage = openStage([{ calls: [{ tool: "wait" }] }, "never"], { tools: [wait] });
    const client = await connectClient(stage);
    const id = await client.open();
    const prompted = client.prompt(id, "Wait").catch(() => "gone");
    await expect.poll(() => client.of("tool_call_update").length).toBe(1);
    client.close();
    expect(await prompted).toBe("gone");
    await cancelled.promise;
    await client.served.closed;
    expect(stage.desk.sessions({ id: "ann" })).toEqual([]);
    expect((await stage.runtime.sessions.runs())[0]).toMatchObject({ status: "cancelled" });
    expect(stage.desk.atWork).toBe(0);
  });

  it("answer one prompt after the other", async () => {
    stage = openStage([
      { text: "One", delay: 50 },
      { text: "Two", expect: "second" },
    ]);
    const client = await connectClient(stage);
    const id = await client.open();
    const both = [client.prompt(id, "The first"), client.prompt(id, "The second")];
    expect(await Promise.all(both)).toEqual(["end_turn", "end_turn"]);
    expect(client.said()).toBe("OneTwo");
  });
});
