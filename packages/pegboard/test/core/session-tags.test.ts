import { defineTool } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import { createRuntime, memoryStore, scriptedModel, type Session } from "../../src/index.ts";

const tool = defineTool({ name: "t", description: "d", input: { type: "object" }, execute: () => "ran" });
const plugin = { name: "kit", version: "1.0.0", activation: "tagged", tools: [tool] } as const;

async function withKit(store = memoryStore()) {
  const runtime = createRuntime({ store, policy: { rules: [{ tool: "*", approval: "preApproved" }] } });
  await runtime.plugins.add({ plugin });
  return runtime;
}

const sees = (session: Session) => session.list().some(({ name }) => name === "kit__t");

/** Says something to an agent that answers at once; the tools that its model was offered. */
async function say(session: Session, prompt: string): Promise<readonly string[]> {
  const offered: string[] = [];
  const model = scriptedModel([
    ({ tools }) => {
      offered.push(...tools.map(({ name }) => name));
      return { text: "Done." };
    },
  ]);
  const { error } = await session.run("assistant", prompt, { model }).result;
  expect(error).toBeUndefined();
  return offered;
}

describe("a plugin that waits for its tag", () => {
  test("A2-45: is absent until a prompt says +name, stays in the session, and is gone after -name", async () => {
    const runtime = await withKit();
    const session = runtime.open();
    expect(sees(session)).toBe(false);
    expect(await session.call("kit__t")).toMatchObject({
      error: { code: "not_found", message: expect.stringContaining("until a prompt says +kit") },
    });
    expect(await say(session, "What is 7 -5?")).not.toContain("kit__t");
    expect(await say(session, "Use +kit, please.")).toContain("kit__t");
    expect(await say(session, "And again.")).toContain("kit__t");
    expect(await session.call("kit__t")).toMatchObject({ ok: true });
    expect(sees(runtime.open())).toBe(false);
    expect(await say(session, "No more -kit")).not.toContain("kit__t");
    expect(sees(session)).toBe(false);
    await runtime.close();
  });

  test("A2-45: is there again in a session that goes on in another process", async () => {
    const store = memoryStore();
    const keep = { ...store, close: async () => {} };
    const first = await withKit(keep);
    await say(first.open({ id: "s" }), "+kit");
    await first.close();
    const second = await withKit(store);
    const session = second.open({ id: "s" });
    expect(await say(session, "Go on.")).toContain("kit__t");
    expect(await say(second.open({ id: "other" }), "Go on.")).not.toContain("kit__t");
    await second.close();
  });

  test.each(["a+kit", "++kit", "+kitten", "`+kit`", "```\n+kit\n```", "+Kit", "x -kit", "+kit/agent", "+ kit"])(
    "A2-45: does not come by %j",
    async (prompt) => {
      const runtime = await withKit();
      const session = runtime.open();
      await say(session, prompt);
      expect(sees(session)).toBe(false);
      await runtime.close();
    },
  );

  test.each(["+kit", "(see) +kit.", "first\n+kit\nthen", "-kit or rather +kit", "`x` +kit"])(
    "A2-45: comes by %j",
    async (prompt) => {
      const runtime = await withKit();
      const session = runtime.open();
      await say(session, prompt);
      expect(sees(session)).toBe(true);
      await runtime.close();
    },
  );

  test("is not to be asked for by another agent before, and sees its own tools when a person runs its agent", async () => {
    const asking = { calls: [{ tool: "agent", input: { agent: "kit/helper", prompt: "Do it" } }] };
    const model = scriptedModel({
      scripts: [{ when: { system: "You are the helper." }, turns: ["I was asked."] }, { turns: [asking, "Done."] }],
    });
    const runtime = createRuntime({ model });
    const helper = { name: "helper", description: "d", instructions: "You are the helper." };
    await runtime.plugins.add({ plugin: { ...plugin, agents: [helper] } });
    const session = runtime.open({ approve: "all" });
    const answer = async (prompt: string) => {
      await session.run("assistant", prompt).result;
      return JSON.stringify(model.requests.at(-1)?.messages.at(-1));
    };
    expect(await answer("Go")).toContain("until a prompt says +kit");
    expect(await answer("Go +kit")).toContain("I was asked.");
    const other = runtime.open();
    expect((await other.run("kit/helper", "Go").result).text).toBe("I was asked.");
    expect(model.requests.at(-1)?.tools.map(({ name }) => name)).toContain("kit__t");
    await runtime.close();
  });

  test("needs no tag when a person calls its tool by name", async () => {
    const runtime = await withKit();
    expect(await runtime.open({ as: "user" }).call("kit__t")).toMatchObject({ ok: true });
    await runtime.close();
  });
});
