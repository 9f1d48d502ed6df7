import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import {
  createRuntime,
  defineTool,
  type Event,
  type EventData,
  type OpenOptions,
  type Rule,
  type RuntimeOptions,
  type Session,
} from "../../src/index.ts";

const input = { type: "object", properties: { to: { type: "string" } }, additionalProperties: false } as const;
const PICTURE = Buffer.from("not really a picture").toString("base64");

const tools = [
  defineTool({
    name: "look",
    description: "Looks",
    input,
    version: "1.2.0",
    capabilities: ["read"],
    execute: () => "seen",
  }),
  defineTool({
    name: "pay",
    description: "Pays",
    input,
    version: "2.0.0",
    capabilities: ["write"],
    execute: () => "paid",
  }),
  defineTool({
    name: "slow",
    description: "Is slow",
    input,
    capabilities: ["read"],
    timeoutMs: 10,
    execute: () => new Promise(() => {}),
  }),
  defineTool({
    name: "fail",
    description: "Fails",
    input,
    capabilities: ["read"],
    execute: () => Promise.reject(new Error("no")),
  }),
  defineTool({
    name: "tell",
    description: "Tells much",
    input,
    capabilities: ["read"],
    execute: () => "long ".repeat(1_000),
  }),
  defineTool({
    name: "paint",
    description: "Paints",
    input,
    capabilities: ["read"],
    execute: () => ({
      content: [
        { type: "text", text: "here" },
        { type: "image", data: PICTURE, mimeType: "image/png" },
      ],
    }),
  }),
];

const WHO: OpenOptions = { principal: "ada", client: "my-app", agent: { name: "child", chain: ["root", "child"] } };

function open(options: RuntimeOptions = {}, more: OpenOptions = {}): Session {
  return createRuntime({ tools, ...options }).open({ ...WHO, ...more });
}

async function eventsOf(session: Session): Promise<Event[]> {
  await session.close();
  const all: Event[] = [];
  for await (const event of session.events()) all.push(event);
  return all;
}

const ofCall = (events: readonly Event[], call: string) => events.filter((event) => event.call === call);

describe("the events of one call", () => {
  const ask: Rule = { tool: "pay", approval: "ask" };

  test("A1-38 carry its id, in order: start, request, decision, intent, end; the intent says by which rule and that nothing was cached", async () => {
    const session = open({ policy: { rules: [ask] }, approver: () => ({ decision: "allow", remember: "input" }) });
    await session.call("pay", { to: "ann" }, { id: "first" });
    await session.call("pay", { to: "ann" }, { id: "second" });
    const events = await eventsOf(session);
    const [first, second] = [ofCall(events, "first"), ofCall(events, "second")];
    expect(first.map(({ type }) => type)).toEqual([
      "call-start",
      "approval-request",
      "approval-response",
      "execute-start",
      "call-end",
    ]);
    expect(first.map(({ seq }) => seq)).toEqual(first.map((_, index) => first[0]!.seq + index));
    expect(first[3]!.data).toMatchObject({
      decision: "ask",
      by: "approver",
      rule: expect.stringContaining('tool "pay"'),
      cached: false,
    });
    expect(second.map(({ type }) => type)).toEqual(["call-start", "execute-start", "call-end"]);
    expect(second[1]!.data).toMatchObject({
      decision: "ask",
      by: "answer remembered for this input",
      rule: expect.stringContaining('tool "pay"'),
      cached: true,
    });
    expect(events.filter(({ call }) => call === undefined).map(({ type }) => type)).toEqual([
      "session-start",
      "session-end",
    ]);
  });

  test("A1-38 end with an error when it was denied, and there is no intent", async () => {
    const session = open({ policy: { rules: [ask] }, approver: () => ({ decision: "deny" }) });
    await session.call("pay", {}, { id: "denied" });
    const events = ofCall(await eventsOf(session), "denied");
    expect(events.map(({ type }) => type)).toEqual(["call-start", "approval-request", "approval-response", "call-end"]);
    expect(events.at(-1)!.data).toMatchObject({ ok: false, error: { code: "denied" } });
  });
});

describe("the record of a call", () => {
  const rules: readonly Rule[] = [
    { tool: "look", approval: "preApproved" },
    { tool: "look", input: { "/to": "nobody" }, approval: "blocked", reason: "nobody is looked at" },
  ];
  const silent = () => new Promise<never>(() => {});

  test.each([
    { what: "that runs", tool: "look", asked: { to: "ann" }, code: undefined },
    { what: "that policy blocks", tool: "look", asked: { to: "nobody" }, code: "blocked" },
    { what: "that nobody answers for", tool: "pay", asked: { to: "ann" }, code: "expired" },
    { what: "that takes too long", tool: "slow", asked: {}, code: "timeout" },
    { what: "that fails", tool: "fail", asked: {}, code: "tool_error" },
    { what: "with wrong input", tool: "look", asked: { to: 1 }, code: "invalid_input" },
    { what: "of a tool that there is not", tool: "fly", asked: {}, code: "not_found" },
  ])("A4-34 $what says who, what, how long and how it ended, once", async ({ tool, asked, code }) => {
    const session = open({ policy: { rules }, approver: silent, limits: { approvalMs: 20 } });
    const before = Date.now();
    const result = await session.call(tool, asked, { id: "it" });
    const events = await eventsOf(session);
    const record = ofCall(events, "it");
    expect(events[0]).toMatchObject({
      type: "session-start",
      session: session.id,
      data: { principal: "ada", client: "my-app" },
    });
    for (const event of record) expect(event).toMatchObject({ session: session.id, chain: ["root", "child"] });
    expect(record[0]).toMatchObject({ type: "call-start", data: { tool, input: asked, caller: "model" } });
    const ends = record.filter(({ type }) => type === "call-end");
    expect(ends).toHaveLength(1);
    expect(ends[0]!.at).toBeGreaterThanOrEqual(before);
    const { ok, ms, error } = ends[0]!.data as EventData["call-end"];
    expect({ ok, code: error?.code, message: error?.message }).toEqual({
      ok: result.ok,
      code,
      message: result.error?.message,
    });
    expect(ms).toBeGreaterThanOrEqual(code === "timeout" ? 9 : 0);
  });

  test("A4-34 says by which rule it ran, with the version of the tool, or by which rule it was blocked", async () => {
    const session = open({ policy: { rules } });
    await session.call("look", { to: "ann" }, { id: "ran" });
    await session.call("look", { to: "nobody" }, { id: "blocked" });
    const events = await eventsOf(session);
    const intent = ofCall(events, "ran").find(({ type }) => type === "execute-start")!;
    expect(intent.data).toMatchObject({
      tool: "look",
      version: "1.2.0",
      decision: "preApproved",
      by: "rule",
      rule: expect.stringContaining('tool "look"'),
    });
    const end = ofCall(events, "blocked").at(-1)!;
    expect(end.data).toMatchObject({
      error: { code: "blocked", message: expect.stringContaining("nobody is looked at") },
    });
  });

  test("A4-34 keeps the input that a hook changed, and which call it was made by", async () => {
    const outer = defineTool({
      name: "outer",
      description: "Calls",
      input,
      capabilities: ["read"],
      execute: (_, { call }) => call("look", { to: "ann" }),
    });
    const session = open({
      tools: [...tools, outer],
      hooks: [{ beforeCall: ({ tool }) => (tool === "look" ? { action: "modify", input: { to: "bob" } } : undefined) }],
    });
    await session.call("outer", {}, { id: "it" });
    const nested = (await eventsOf(session)).filter(({ parent }) => parent === "it");
    expect(nested.map(({ type }) => type)).toEqual(["call-start", "execute-start", "call-end"]);
    expect(nested[0]!.data).toMatchObject({ tool: "look", input: { to: "ann" }, caller: "tool" });
    expect(nested[1]!.data).toMatchObject({ input: { to: "bob" } });
  });
});

describe("what the log keeps of a result", () => {
  const endOf = async (session: Session) => (await eventsOf(session)).find(({ type }) => type === "call-end")!;

  test("A0-43 is cut and says so when it is long, with agent and call; the caller gets all of it", async () => {
    const session = open({ limits: { loggedCharacters: 1_000 } });
    const result = await session.call("tell", {}, { id: "it" });
    expect(result.content).toEqual([{ type: "text", text: "long ".repeat(1_000) }]);
    expect(result.meta.cut).toBeUndefined();
    const end = await endOf(session);
    expect(end).toMatchObject({ call: "it", chain: ["root", "child"] });
    const { result: logged } = end.data as EventData["call-end"];
    expect(logged).toEqual({
      cut: true,
      characters: expect.any(Number),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      preview: expect.any(String),
    });
    const { characters, preview } = logged as { characters: number; preview: string };
    expect(characters).toBeGreaterThan(5_000);
    expect(preview).toBe("long ".repeat(200));
  });

  test("A0-43 has a digest that tells results apart whose text is the same in all", async () => {
    const text = (...texts: string[]) => ({ content: texts.map((text) => ({ type: "text", text })) });
    const long = "x".repeat(2_000);
    const results = [
      text(`${long}\n${long}`),
      text(long, long),
      text(long, `${long}\n${long}`),
      text(`${long}\n${long}`, long),
      { ...text(long, long), structured: 1 },
      { ...text(long, long), meta: { kind: "diff" } },
    ];
    const tools = results.map((result, index) =>
      defineTool({ name: `t${index}`, description: "Tells", input, capabilities: ["read"], execute: () => result }),
    );
    const session = open({ tools, limits: { loggedCharacters: 1_000 } });
    for (const { name } of tools) await session.call(name);
    const ends = (await eventsOf(session)).filter(({ type }) => type === "call-end");
    const digests = ends.map(({ data }) => (data as { result: { sha256?: string } }).result.sha256);
    expect(digests).not.toContain(undefined);
    expect(new Set(digests).size).toBe(results.length);
  });

  test("A0-43 says where the whole of it is when even the caller got a cut, and the caller can read on", async () => {
    const session = open({ limits: { resultCharacters: 2_000, loggedCharacters: 1_000 } });
    const whole = "long ".repeat(1_000);
    const result = await session.call("tell", {}, { id: "it" });
    expect(result.meta.cut).toEqual({ kept: 2_000, characters: 5_000, handle: "it" });
    let read = (result.content[0] as { text: string }).text;
    for (let offset: number | undefined = read.length; offset !== undefined;) {
      const part = await session.call("read_result", { handle: "it", offset, limit: 1_500 });
      read += (part.content[0] as { text: string }).text;
      offset = (part.structured as { next?: number }).next;
    }
    expect(read).toBe(whole);
    const { blob } = (await endOf(session)).data as EventData["call-end"];
    expect(blob).toEqual({
      characters: 5_000,
      sha256: createHash("sha256").update(Buffer.from(whole, "utf16le")).digest("hex"),
    });
  });

  test("A4-41 has a placeholder for an image, which the caller gets as it is", async () => {
    const session = open();
    const { content } = await session.call("paint");
    expect(content).toEqual([
      { type: "text", text: "here" },
      { type: "image", data: PICTURE, mimeType: "image/png" },
    ]);
    const { result } = (await endOf(session)).data as EventData["call-end"];
    expect(JSON.stringify(result)).not.toContain(PICTURE);
    expect(result).toMatchObject({
      content: [
        { type: "text", text: "here" },
        { type: "text", text: expect.stringMatching(/^\[image image\/png, \d+ bytes, sha256 [0-9a-f]{64}\]$/) },
      ],
    });
  });
});
