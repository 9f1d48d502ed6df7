import { afterEach, describe, expect, it } from "vitest";
import type { Turn } from "../../../src/testing/index.ts";
import { createRedactor, type Model, type RuntimeOptions } from "../../../src/index.ts";
import { choose, type ClientSettings, connectClient, openStage, type Stage } from "./stage.ts";

const stages: Stage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

function stageWith(turns: readonly Turn[], more: RuntimeOptions = {}): Stage {
  const stage = openStage(turns, more);
  stages.push(stage);
  return stage;
}

async function clientOf(turns: readonly Turn[], settings: ClientSettings = {}) {
  const stage = stageWith(turns);
  return { stage, client: await connectClient(stage, settings) };
}

const CALL_DANGER: Turn = { calls: [{ tool: "danger", input: { what: "the moon" } }] };

describe("a prompt", () => {
  it("is answered in pieces, with the calls between, and then with why it ended", async () => {
    const { client } = await clientOf([
      { reasoning: "Hm.", text: "Wait. ", calls: [{ tool: "echo", input: { text: "four" } }] },
      "It is four.",
    ]);
    const id = await client.open();
    expect(await client.prompt(id, "What is 2 + 2?")).toBe("end_turn");
    expect(client.said()).toBe("Wait. It is four.");
    expect(client.of("agent_thought_chunk")).toHaveLength(1);
    const [call] = client.of("tool_call");
    expect(call).toMatchObject({ title: "echo: four", name: "echo", status: "pending", rawInput: { text: "four" } });
    const states = client.of("tool_call_update").map(({ toolCallId, status }) => [toolCallId, status]);
    expect(states).toEqual([
      [call!.toolCallId, "in_progress"],
      [call!.toolCallId, "completed"],
    ]);
    expect(client.of("tool_call_update").at(-1)!.content).toEqual([
      { type: "content", content: { type: "text", text: "four" } },
    ]);
  });

  it("is answered without secrets, though they come in two pieces", async () => {
    const redactor = createRedactor();
    redactor.add("key", "open-sesame-4711");
    const model: Model = {
      id: "test:pieces",
      async *stream() {
        yield { type: "reasoning", text: "Was it open-se" };
        yield { type: "reasoning", text: "same-4711?" };
        yield { type: "text", text: "Say open-se" };
        yield { type: "text", text: "same-4711, and not open-sea" };
        yield { type: "end", reason: "stop", usage: { input: 1, output: 1 } };
      },
    };
    const client = await connectClient(stageWith([], { redactor, model }));
    await client.prompt(await client.open(), "How?");
    expect(client.said()).toBe("Say [secret key], and not open-sea");
    const thoughts = client.of("agent_thought_chunk").map(({ content }) => (content as { text: string }).text);
    expect(thoughts.join("")).toBe("Was it [secret key]?");
    expect(JSON.stringify(client.updates)).not.toMatch(/open-se["s]/);
  });

  it("goes on with the conversation", async () => {
    const { client } = await clientOf(["One", { text: "Two", expect: "And?" }]);
    const id = await client.open();
    await client.prompt(id, "Hello");
    await client.prompt(id, "And?");
    expect(client.said()).toBe("OneTwo");
  });

  it("takes along what is linked, embedded and attached", async () => {
    const { client, stage } = await clientOf(["Fine"]);
    const sessionId = await client.open();
    await client.agent.request("session/prompt", {
      sessionId,
      prompt: [
        { type: "text", text: "Look:" },
        { type: "resource_link", name: "a.md", uri: "file:///a.md" },
        { type: "resource", resource: { uri: "file:///b.md", text: "a ``` fence" } },
        { type: "image", data: "aGk=", mimeType: "image/png" },
      ],
    });
    const { messages } = await stage.runtime.sessions.show(sessionId);
    expect(messages[0]).toMatchObject({
      role: "user",
      content: [
        { type: "file", name: "image-1.png", mimeType: "image/png" },
        { type: "text", text: "Look:\n\n[a.md](file:///a.md)\n\nfile:///b.md\n````\na ``` fence\n````" },
      ],
    });
  });

  it("that fails is an error with our code, and the session is still there", async () => {
    const { client } = await clientOf([{ error: { code: "invalid_config", message: "no key" } }]);
    const id = await client.open();
    await expect(client.prompt(id, "Hello")).rejects.toMatchObject({
      message: "no key",
      data: { code: "invalid_config" },
    });
    await client.agent.request("session/set_mode", { sessionId: id, modeId: "none" });
  });

  it("tells how a turn limit and a full context end it", async () => {
    const long = await clientOf([{ text: "And so", reason: "length" }]);
    expect(await long.client.prompt(await long.client.open(), "Go")).toBe("max_tokens");
    const stage = stageWith([{ calls: [{ tool: "echo", input: { text: "a" } }] }, "never"], { limits: { turns: 1 } });
    const client = await connectClient(stage);
    expect(await client.prompt(await client.open(), "Go")).toBe("max_turn_requests");
  });

  it("of a command is what the command says", async () => {
    const stage = stageWith([{ text: "Bonjour", expect: "Translate to French: hello" }]);
    stage.runtime.commands.register({
      name: "french",
      description: "Translates",
      prompt: "Translate to French: $ARGUMENTS",
    });
    const client = await connectClient(stage);
    const id = await client.open();
    await expect.poll(() => client.of("available_commands_update")).toHaveLength(1);
    expect(client.of("available_commands_update")[0]!.availableCommands).toMatchObject([{ name: "french" }]);
    await client.prompt(id, "/french hello");
    expect(client.said()).toBe("Bonjour");
  });
});

describe("a call that asks", () => {
  it("asks the client, which sees what it would do, and runs when it is allowed", async () => {
    const { client } = await clientOf([CALL_DANGER, "Done"]);
    const id = await client.open();
    expect(await client.prompt(id, "Do it")).toBe("end_turn");
    const [request] = client.asked;
    expect(request!.toolCall).toMatchObject({
      toolCallId: client.of("tool_call")[0]!.toolCallId,
      title: "Destroy the moon",
      rawInput: { what: "the moon" },
    });
    expect(request!.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
      ["once", "allow_once"],
      ["input", "allow_always"],
      ["tool", "allow_always"],
      ["deny", "reject_once"],
    ]);
    expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "completed" });
  });

  it.each([
    ["denied", choose("deny")],
    ["answered with something that was not offered", choose("everything")],
    ["dismissed", { outcome: { outcome: "cancelled" as const } }],
  ])("does not run when it is %s", async (_, answer) => {
    const { client } = await clientOf([CALL_DANGER, "Too bad"], { permit: () => answer });
    expect(await client.prompt(await client.open(), "Do it")).toBe("end_turn");
    expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
    expect(client.said()).toBe("Too bad");
  });

  it("does not run when the client cannot answer", async () => {
    const permit = () => {
      throw new Error("no dialog here");
    };
    const { client } = await clientOf([CALL_DANGER, "Too bad"], { permit });
    await client.prompt(await client.open(), "Do it");
    expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  });

  it("is asked about once when the answer is remembered", async () => {
    const { client } = await clientOf([CALL_DANGER, CALL_DANGER, "Done"], { permit: () => choose("tool") });
    await client.prompt(await client.open(), "Do it twice");
    expect(client.asked).toHaveLength(1);
    expect(client.of("tool_call")).toHaveLength(2);
  });

  it("A4-13: can be answered through another door while the prompt runs; the dialog is then withdrawn", async () => {
    const withdrawn = Promise.withResolvers<void>();
    const permit = (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_, reject) =>
        signal.addEventListener("abort", () => {
          withdrawn.resolve();
          reject(signal.reason as Error);
        }),
      );
    const { client, stage } = await clientOf([CALL_DANGER, "Done"], { permit });
    const id = await client.open();
    const prompted = client.prompt(id, "Do it");
    await expect.poll(() => client.asked.length).toBe(1);
    const ann = { id: "ann" };
    const [waiting] = stage.desk.sessions(ann)[0]!.pending;
    await stage.desk.answer(ann, waiting!.id, { decision: "allow" });
    expect(await prompted).toBe("end_turn");
    await withdrawn.promise;
    expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "completed" });
  });

  it("follows the mode that the client has chosen, by either way of choosing", async () => {
    const { client } = await clientOf([CALL_DANGER, "One", CALL_DANGER, "Two"]);
    const { sessionId, modes } = await client.agent.request("session/new", { cwd: "/", mcpServers: [] });
    expect(modes).toMatchObject({ currentModeId: "ask" });
    await client.agent.request("session/set_mode", { sessionId, modeId: "all" });
    expect(client.of("config_option_update")[0]!.configOptions[0]).toMatchObject({ id: "mode", currentValue: "all" });
    await client.prompt(sessionId, "Do it");
    expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "completed" });
    await client.agent.request("session/set_config_option", { sessionId, configId: "mode", value: "none" });
    expect(client.of("current_mode_update")).toMatchObject([{ currentModeId: "none" }]);
    await client.prompt(sessionId, "Do it again");
    expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
    expect(client.asked).toEqual([]);
  });

  it("has no modes to choose where the operator has said what holds", async () => {
    const stage = openStage([CALL_DANGER, "No"], {}, { approve: "none" });
    stages.push(stage);
    const client = await connectClient(stage, { asks: false });
    const { sessionId, modes } = await client.agent.request("session/new", { cwd: "/", mcpServers: [] });
    expect(modes).toBeUndefined();
    await expect(client.agent.request("session/set_mode", { sessionId, modeId: "all" })).rejects.toMatchObject({
      code: -32602,
    });
    await client.prompt(sessionId, "Do it");
    expect(client.asked).toEqual([]);
    expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  });
});

describe("a cancel", () => {
  it("A4-13: is accepted while a prompt runs, and ends it and what it asked", async () => {
    const permit = (_: unknown, signal: AbortSignal) =>
      new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error)));
    const { client } = await clientOf([CALL_DANGER, "never"], { permit });
    const sessionId = await client.open();
    const prompted = client.prompt(sessionId, "Do it");
    await expect.poll(() => client.asked.length).toBe(1);
    await client.agent.notify("session/cancel", { sessionId });
    expect(await prompted).toBe("cancelled");
    expect(client.of("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  });

  it("of a session that there is not is nothing, and the connection lives on", async () => {
    const { client } = await clientOf(["Hello"]);
    await client.agent.notify("session/cancel", { sessionId: "none" });
    expect(await client.prompt(await client.open(), "Hi")).toBe("end_turn");
  });
});

describe("a client that does not read", () => {
  it("holds nothing up, and has the whole answer when it reads again", async () => {
    const words = Array.from({ length: 5_000 }, (_, index) => `word${index} `);
    const model: Model = {
      id: "test:chatty",
      async *stream() {
        for (const text of words) yield { type: "text", text };
        yield { type: "end", reason: "stop", usage: { input: 1, output: 1 } };
      },
    };
    const stage = stageWith([], { model });
    const reading = Promise.withResolvers<void>();
    let stalled = false;
    const client = await connectClient(stage, { pause: () => (stalled ? reading.promise : undefined) });
    const id = await client.open();
    const prompted = client.prompt(id, "Talk");
    stalled = true;
    await expect.poll(async () => (await stage.runtime.sessions.runs())[0]?.status).toBe("completed");
    stalled = false;
    reading.resolve();
    expect(await prompted).toBe("end_turn");
    expect(client.said()).toBe(words.join(""));
  });
});
