import { describe, expect, test } from "vitest";
import {
  type ApprovalRequest,
  createRuntime,
  defineTool,
  Registry,
  type RegisterOptions,
  type Secrets,
} from "../../src/index.ts";

const TOKEN = "tok_EXAMPLE_0123456789abcdef";

/** A runtime whose tool `send` keeps what it gets, and everything that anybody else saw. */
function makeWall(
  secrets: Secrets = { get: async (name) => (name === "token" ? TOKEN : undefined) },
  options: RegisterOptions & { capabilities?: "secrets"[]; timeoutMs?: number } = {},
) {
  const { capabilities = ["secrets"], timeoutMs = 1_000, ...how } = options;
  const received: unknown[] = [];
  const seen: unknown[] = [];
  const registry = new Registry();
  registry.register(
    defineTool({
      name: "send",
      description: "d",
      input: { type: "object" },
      capabilities,
      timeoutMs,
      execute: (input) => {
        received.push(input);
        return input;
      },
    }),
    how,
  );
  const approver = (request: ApprovalRequest) => {
    seen.push(structuredClone(request));
    return { decision: "allow" as const };
  };
  const hooks = [
    {
      beforeCall: (call: unknown) => void seen.push(structuredClone(call)),
      afterCall: (...all: unknown[]) => void seen.push(structuredClone(all)),
    },
  ];
  const session = createRuntime({ registry, secrets, approver, hooks }).open();
  return { session, received, seen };
}

describe("a reference", () => {
  test("is the true value for the tool alone: hooks, approver, log and caller see the reference", async () => {
    const { session, received, seen } = makeWall();
    const input = {
      headers: { authorization: "Bearer secret://token" },
      list: ["secret://token", 5],
      text: "no secret here",
    };
    const result = await session.call("send", input);
    expect(received).toEqual([
      { headers: { authorization: `Bearer ${TOKEN}` }, list: [TOKEN, 5], text: "no secret here" },
    ]);
    expect(result.structured).toEqual({
      headers: { authorization: "Bearer [secret token]" },
      list: ["[secret token]", 5],
      text: "no secret here",
    });
    await session.close();
    const events = await Array.fromAsync(session.events());
    expect(events.find(({ type }) => type === "call-start")?.data).toMatchObject({ input });
    expect(events.find(({ type }) => type === "approval-request")?.data).toMatchObject({ input });
    expect(seen).toHaveLength(3);
    expect(JSON.stringify([events, seen])).not.toContain(TOKEN);
  });

  test.each([
    ["secret://token.", `${TOKEN}.`],
    ["(secret://token)", `(${TOKEN})`],
    ["postgres://me:secret://token@host/db", `postgres://me:${TOKEN}@host/db`],
    ["secret://token and secret://token", `${TOKEN} and ${TOKEN}`],
    ["mysecret://token", "mysecret://token"],
    ["secret://", "secret://"],
    ["secret://9", "secret://9"],
  ])("may stand in a text: %s", async (text, expected) => {
    const { session, received } = makeWall();
    await session.call("send", { text });
    expect(received).toEqual([{ text: expected }]);
  });

  test("in what a secret holds stays as it is, and so does one in a key", async () => {
    const { session, received } = makeWall({ get: async (name) => (name === "a" ? "secret://b" : undefined) });
    await session.call("send", { "secret://a": "secret://a" });
    expect(received).toEqual([{ "secret://a": "secret://b" }]);
  });

  test("is plain text for a tool that does not declare the capability", async () => {
    const { session, received } = makeWall(undefined, { capabilities: [] });
    await session.call("send", { text: "secret://token" });
    expect(received).toEqual([{ text: "secret://token" }]);
  });

  test.each(["package", "plugin", "mcp"] as const)(
    "is plain text for a tool of a %s, whatever that declares",
    async (kind) => {
      const { session, received } = makeWall(undefined, { source: { kind, id: "foreign" } });
      await session.call("send", { text: "secret://token" });
      expect(received).toEqual([{ text: "secret://token" }]);
    },
  );

  test("to a secret that is not set fails the call with the command that sets it", async () => {
    const { session, received } = makeWall();
    const result = await session.call("send", { text: "secret://github" });
    expect(result.error).toEqual({
      code: "unavailable",
      message: 'The secret "github" is not set. Set it with: pegboard secret set github',
      retryable: false,
    });
    expect(received).toEqual([]);
  });

  test("to a secret that cannot be had fails the call with the reason, and one that never comes with a timeout", async () => {
    const failing = makeWall({ get: async () => Promise.reject(new Error("the vault is sealed")) });
    expect((await failing.session.call("send", { text: "secret://a" })).error).toMatchObject({
      code: "unavailable",
      message: 'The secret "a" cannot be had: the vault is sealed',
    });
    let answer: (value: string) => void = () => {};
    const hanging = makeWall({ get: () => new Promise((resolve) => (answer = resolve)) }, { timeoutMs: 50 });
    expect((await hanging.session.call("send", { text: "secret://a" })).error).toMatchObject({ code: "timeout" });
    answer("too-late-for-this-1");
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect([...failing.received, ...hanging.received]).toEqual([]);
  });

  test("is asked for anew at every use, and every value it ever had is redacted", async () => {
    let round = 0;
    const { session, received } = makeWall({ get: async () => `${TOKEN}-${round++}` });
    await session.call("send", { text: "secret://token" });
    const result = await session.call("send", { text: "secret://token", literal: `${TOKEN}-0` });
    expect(received).toEqual([{ text: `${TOKEN}-0` }, { text: `${TOKEN}-1`, literal: `${TOKEN}-0` }]);
    expect(result.structured).toEqual({ text: "[secret token]", literal: "[secret token]" });
  });
});

describe("a result", () => {
  const PNG = Buffer.from(`PNG ${TOKEN} IEND`).toString("base64");

  test("has bytes that hold a secret left out as a whole", async () => {
    const camera = defineTool({
      name: "camera",
      description: "d",
      input: { type: "object" },
      approval: "preApproved",
      execute: () => ({
        content: [
          { type: "image", data: PNG, mimeType: "image/png" },
          { type: "text", text: "a picture" },
        ],
      }),
    });
    const session = createRuntime({
      tools: [camera],
      secrets: { get: async () => undefined, known: () => [["token", TOKEN]] },
    }).open();
    expect((await session.call("camera")).content).toEqual([
      { type: "text", text: "[image left out: it holds a secret]" },
      { type: "text", text: "a picture" },
    ]);
  });

  test("is checked against its output schema as the tool gave it", async () => {
    const show = defineTool({
      name: "show",
      description: "d",
      input: { type: "object" },
      output: { type: "string", pattern: "^tok_" },
      approval: "preApproved",
      execute: () => ({ content: [], structured: TOKEN }),
    });
    const session = createRuntime({
      tools: [show],
      secrets: { get: async () => undefined, known: () => [["token", TOKEN]] },
    }).open();
    expect(await session.call("show")).toMatchObject({ ok: true, structured: "[secret token]" });
  });
});

test("an approval that was remembered for an input with a secret holds for the same input", async () => {
  let asked = 0;
  const send = defineTool({ name: "send", description: "d", input: { type: "object" }, execute: () => "sent" });
  const approver = () => ({
    decision: asked++ < 5 ? ("allow" as const) : ("deny" as const),
    remember: "input" as const,
  });
  const session = createRuntime({
    tools: [send],
    approver,
    secrets: { get: async () => undefined, known: () => [["token", TOKEN]] },
  }).open();
  for (const text of [TOKEN, TOKEN, "another", TOKEN])
    expect(await session.call("send", { text })).toMatchObject({ ok: true });
  expect(asked).toBe(2);
});
