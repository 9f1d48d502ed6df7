import { describe, expect, it, vi } from "vitest";
import { connectClient, ERAS, openStage } from "./stage.ts";

const review = {
  name: "review",
  description: "Reviews a change",
  prompt: "Review $1 with care.",
  argumentHint: "<file>",
};

describe.each(ERAS)("prompts for a client of the %s era", (era) => {
  it("are the commands of people, filled in", async () => {
    const stage = openStage();
    const { commands } = stage.desk.runtime;
    commands.register(review, { plugin: "code" });
    const client = await connectClient(stage, { era });
    expect((await client.listPrompts()).prompts).toEqual([
      {
        name: "code__review",
        description: "Reviews a change",
        arguments: [{ name: "arguments", description: "<file>", required: false }],
      },
    ]);
    const { messages } = await client.getPrompt({ name: "code__review", arguments: { arguments: "a.ts" } });
    expect(messages).toEqual([{ role: "user", content: { type: "text", text: "Review a.ts with care." } }]);
    await expect(client.getPrompt({ name: "none" })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining("code__review"),
    });
    await client.close();
    await stage.close();
  });

  it("come and go, and the client is told", async () => {
    const stage = openStage();
    const told = vi.fn();
    const client = await connectClient(stage, {
      era,
      listChanged: { prompts: { onChanged: told, autoRefresh: false } },
    });
    stage.desk.runtime.commands.register(review);
    await vi.waitFor(() => expect(told).toHaveBeenCalled());
    await client.close();
    await stage.close();
  });
});
