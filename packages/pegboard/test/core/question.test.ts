import { createRuntime, defineTool, type Hooks, type SessionOptions } from "pegboard";
import { describe, expect, it } from "vitest";

const input = { type: "object", properties: { text: { type: "string" } } } as const;
const send = defineTool({
  name: "send",
  description: "Sends",
  input,
  approval: "ask",
  summary: ({ text }) => `Send ${text}`,
  execute: ({ text }) => `sent ${text}`,
});
const twice = defineTool({
  name: "twice",
  description: "Sends by another tool",
  input,
  approval: "ask",
  execute: (given, { call }) => call("send", given),
});

function open(options: SessionOptions = {}, hooks: readonly Hooks[] = []) {
  return createRuntime({ builtins: false, tools: [send, twice], hooks }).open(options);
}

describe("a host that asks by itself", () => {
  it("is told what to ask, and nothing is written or run", async () => {
    const session = open();
    expect(await session.question("send", { text: "a" })).toEqual({
      summary: "Send a",
      reason: (await session.explain("send", { text: "a" })).reason,
      digest: expect.any(String) as string,
    });
    expect(await session.question("nothing")).toBeUndefined();
    expect(await session.question("send", { text: 1 })).toBeUndefined();
    await session.close();
    const events = await Array.fromAsync(session.events());
    expect(events).toEqual([]);
  });

  it("is shown no secret, also before the first call", async () => {
    const secrets = { get: async () => undefined, known: () => [["mail", "hunter2-and-more"]] as const };
    const session = createRuntime({ builtins: false, tools: [send], secrets }).open();
    expect((await session.question("send", { text: "hunter2-and-more" }))?.summary).not.toContain("hunter2");
  });

  it("calls with the answer, whatever the mode of the session, and the log tells through whom", async () => {
    for (const approve of ["none", "wait"] as const) {
      const session = open({ approve });
      expect(await session.call("send", { text: "a" }, { approved: "a dialog" })).toMatchObject({ ok: true });
      await session.close();
      const events = await Array.fromAsync(session.events());
      expect(events.find(({ type }) => type === "execute-start")?.data).toMatchObject({
        by: "a dialog",
        cached: false,
      });
    }
  });

  it("does not answer for the calls that the call makes", async () => {
    const { content } = await open().call("twice", { text: "a" }, { approved: "a dialog" });
    expect(content).toEqual([{ type: "text", text: expect.stringContaining(`Tool "send" needs approval`) }]);
  });

  it("does not answer for an input that a hook has changed", async () => {
    const session = open({}, [{ beforeCall: () => ({ action: "modify", input: { text: "b" } }) }]);
    expect((await session.call("send", { text: "a" }, { approved: "a dialog" })).error?.code).toBe("denied");
  });
});
