import { describe, expect, it, vi } from "vitest";
import { defineTool } from "../../../src/index.ts";
import { openAskLine } from "./ask-line.ts";
import { openStage } from "./stage.ts";

const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };

const bake = defineTool({
  name: "bake",
  description: "Takes long",
  input: { type: "object", properties: {} },
  approval: "preApproved",
  execute(_, { client, signal }) {
    client!.detach();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve("a cake"), 150);
      signal.addEventListener("abort", () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      });
    });
  },
});

describe("a call that lets its client go", () => {
  function open(capabilities: object = TASKS) {
    const stage = openStage({ tools: [bake] });
    return { stage, ask: openAskLine(stage, capabilities) };
  }

  it("is a task, whose result the client comes back for", async () => {
    const { stage, ask } = open();
    const { result: created } = await ask("tools/call", { name: "bake", arguments: {} });
    expect(created).toMatchObject({ resultType: "task", status: "working" });
    expect(stage.desk.atWork).toBe(1);
    const get = async () => (await ask("tasks/get", { taskId: created.taskId })).result;
    await vi.waitUntil(async () => (await get()).status === "completed");
    expect(stage.desk.atWork).toBe(0);
    expect(await get()).toMatchObject({ result: { content: [{ type: "text", text: "a cake" }] } });
    await stage.close();
  });

  it("is cancelled on demand, and nobody else's", async () => {
    const { stage, ask } = open();
    const { result: created } = await ask("tools/call", { name: "bake", arguments: {} });
    expect((await ask("tasks/cancel", { taskId: "another" })).error.code).toBe(-32602);
    expect((await ask("tasks/cancel", { taskId: created.taskId })).result).toMatchObject({ resultType: "complete" });
    await vi.waitUntil(async () => (await ask("tasks/get", { taskId: created.taskId })).result.status === "cancelled");
    await stage.close();
  });

  it("is waited for by a client that takes no tasks", async () => {
    const { stage, ask } = open({});
    const { result } = await ask("tools/call", { name: "bake", arguments: {} });
    expect(result).toMatchObject({ resultType: "complete", content: [{ type: "text", text: "a cake" }] });
    expect((await ask("tasks/get", { taskId: "any" })).error.code).toBe(-32021);
    await stage.close();
  });
});
