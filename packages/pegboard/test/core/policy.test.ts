import { describe, expect, test } from "vitest";
import {
  type Approval,
  type ApprovalRequest,
  createRuntime,
  defineTool,
  type Json,
  type PolicyOptions,
  type RegisterOptions,
  type Rule,
  type Session,
  type SessionOptions,
  type Tool,
} from "../../src/index.ts";

const FOREIGN: RegisterOptions = { source: { kind: "package", id: "office" } };
const input = { type: "object", properties: { path: { type: "string" }, days: { type: "number", default: 3 } } };

function makeTool(own: Partial<Tool> = {}): Tool {
  return defineTool({ name: "send", description: "Sends", input, execute: () => "sent", ...own });
}

function open(
  tool: Tool,
  policy: PolicyOptions,
  options: SessionOptions = {},
  registered: RegisterOptions = {},
): Session {
  const runtime = createRuntime({ policy, builtins: false });
  runtime.tools.register(tool, registered);
  return runtime.open(options);
}

/** What is decided about one call of `send`. */
async function decide(
  rules: readonly Rule[],
  own: Partial<Tool> = {},
  given: Json = {},
  options: SessionOptions = {},
): Promise<Approval> {
  return (await open(makeTool(own), { rules }, options).explain("send", given)).decision;
}

describe("without any rule", () => {
  test("A1-03 a tool that says nothing of itself asks", async () => {
    const asked: ApprovalRequest[] = [];
    const approver = (request: ApprovalRequest) => {
      asked.push(request);
      return { decision: "allow" } as const;
    };
    const session = open(makeTool(), {}, { approver });
    expect(await session.explain("send")).toMatchObject({
      decision: "ask",
      by: "default",
      votes: [{ by: "default", approval: "ask" }],
    });
    expect((await session.call("send")).ok).toBe(true);
    expect(asked).toHaveLength(1);
  });

  test.each([
    ["read", {}, "preApproved"],
    ["state", {}, "preApproved"],
    ["network", {}, "ask"],
    ["read", FOREIGN, "ask"],
  ] as const)("a tool with the capability %s, registered as %o, gets %s", async (capability, registered, expected) => {
    const session = open(makeTool({ capabilities: [capability] }), {}, {}, registered);
    expect(await session.explain("send")).toMatchObject({ decision: expected, by: "capability" });
  });

  test("the strictest capability counts", async () => {
    expect(await decide([], { capabilities: ["read", "write"] })).toBe("ask");
  });

  test("the host's own tool is believed, anybody else's word can only raise", async () => {
    expect(await decide([], { approval: "preApproved" })).toBe("preApproved");
    const foreign = (approval: Approval) =>
      open(makeTool({ approval, capabilities: ["read"] }), {}, {}, FOREIGN).explain("send");
    expect((await foreign("preApproved")).decision).toBe("ask");
    expect((await foreign("blocked")).decision).toBe("blocked");
  });

  test("a default of blocked refuses what nothing else decides, and names itself", async () => {
    const session = open(makeTool({ approval: "preApproved" }), { default: "blocked" });
    expect(session.list()).toEqual([]);
    expect((await session.call("send")).error).toMatchObject({
      code: "blocked",
      message: expect.stringContaining("the policy's default is blocked"),
    });
    const reader = open(makeTool({ capabilities: ["read"] }), { default: "blocked" });
    expect((await reader.call("send")).ok).toBe(true);
  });
});

describe("rules", () => {
  test("A0-22 a tool that is blocked by name is refused with the rule and its place", async () => {
    const rule: Rule = {
      tool: "send",
      approval: "blocked",
      reason: "no mail",
      origin: { file: "/w/pegboard.yaml", line: 7 },
    };
    const { error } = await open(makeTool(), { rules: [rule] }).call("send");
    expect(error).toMatchObject({
      code: "blocked",
      message: `Tool "send" is blocked by the rule tool "send" → blocked (/w/pegboard.yaml:7): no mail`,
    });
  });

  test("A0-22 with a default of blocked the rules are a list of what is allowed", async () => {
    const runtime = createRuntime({
      builtins: false,
      policy: { default: "blocked", rules: [{ tool: "send", approval: "preApproved" }] },
    });
    runtime.tools.register([makeTool(), makeTool({ name: "other" })]);
    const session = runtime.open();
    expect(session.list()).toMatchObject([{ name: "send", approval: "preApproved" }]);
    expect((await session.call("send")).ok).toBe(true);
    expect((await session.call("other")).error?.code).toBe("blocked");
  });

  test("A0-22 with a default of blocked a rule for some inputs allows only those", async () => {
    const rule: Rule = { tool: "send", input: { "/path": "a/*" }, approval: "preApproved" };
    const session = open(makeTool(), { default: "blocked", rules: [rule] });
    expect((await session.call("send", { path: "a/b" })).ok).toBe(true);
    expect((await session.call("send", { path: "b/b" })).error?.code).toBe("blocked");
  });

  test("A0-23 a blocked tool stays refused when everything is approved", async () => {
    const session = open(makeTool(), { rules: [{ tool: "send", approval: "blocked" }] }, { approve: "all" });
    expect((await session.call("send")).error?.code).toBe("blocked");
  });

  test("A1-04 a rule of preApproved runs without asking, a rule of ask asks, and the tool's own rule beats its toolset's", async () => {
    const rules: Rule[] = [
      { toolset: "office", approval: "ask" },
      { tool: "office__send", approval: "preApproved" },
    ];
    const runtime = createRuntime({ policy: { rules }, builtins: false });
    runtime.tools.register([makeTool(), makeTool({ name: "print" })], { ...FOREIGN, prefix: "office" });
    const asked: string[] = [];
    const session = runtime.open({ approver: ({ tool }) => (asked.push(tool), { decision: "allow" }) });
    expect((await session.call("office__send")).ok).toBe(true);
    expect((await session.call("office__print")).ok).toBe(true);
    expect(asked).toEqual(["office__print"]);
  });

  const LADDER: readonly Partial<Rule>[] = [
    { tool: "send", input: { "/path": "*" } },
    { tool: "send" },
    { tool: "se*" },
    { capability: "network" },
    { tool: "*" },
  ];

  test.each(LADDER.slice(1).map((lower, index) => [LADDER[index]!, lower] as const))(
    "%o decides before %o, in any order",
    async (closer, wider) => {
      const own = { capabilities: ["network"] } as const;
      for (const [first, second] of [
        ["preApproved", "ask"],
        ["ask", "preApproved"],
      ] as const) {
        const rules = [
          { ...wider, approval: second },
          { ...closer, approval: first },
        ];
        expect(await decide(rules, own, { path: "x" })).toBe(first);
        expect(await decide(rules.toReversed(), own, { path: "x" })).toBe(first);
      }
    },
  );

  test("a toolset is as close as a pattern, and of equally close rules the strictest decides", async () => {
    const rules: Rule[] = [
      { tool: "se*", approval: "preApproved" },
      { toolset: "host", approval: "ask" },
    ];
    expect(await decide(rules)).toBe("ask");
    expect(await decide(rules.toReversed())).toBe("ask");
  });

  test.each([
    ["agent", { agent: "researcher" }, { agent: { name: "researcher" } }, { agent: { name: "writer" } }],
    ["client", { client: "cli" }, { client: "cli" }, { client: "web" }],
    ["mode", { mode: "headless" }, { approve: "none" }, { approver: () => ({ decision: "deny" as const }) }],
  ] as const)(
    "a rule with an %s concerns only that one, and is closer than the same rule without",
    async (_, qualifier, inside, outside) => {
      const rules: Rule[] = [
        { tool: "send", approval: "ask" },
        { tool: "send", ...qualifier, approval: "preApproved" },
      ];
      expect(await decide(rules, {}, {}, inside)).toBe("preApproved");
      expect(await decide(rules, {}, {}, outside)).toBe("ask");
    },
  );

  test("a rule that allows a list of values needs all of them, one that asks needs any", async () => {
    const own = { input: { type: "object" } };
    const rule = (approval: Approval): Rule => ({ tool: "send", input: { "/to": "*@example.com" }, approval });
    const mixed = { to: ["a@example.com", "b@example.org"] };
    expect(await decide([rule("preApproved")], own, { to: ["a@example.com"] })).toBe("preApproved");
    expect(await decide([rule("preApproved")], own, mixed)).toBe("ask");
    expect(await decide([rule("preApproved")], own, { to: [] })).toBe("ask");
    expect(await decide([{ tool: "send", approval: "preApproved" }, rule("ask")], own, mixed)).toBe("ask");
  });

  test("a rule for some inputs, or for one caller, holds also after calls that it did not concern", async () => {
    const rules: Rule[] = [
      { tool: "send", approval: "preApproved" },
      { tool: "send", client: "stranger", approval: "blocked" },
      { tool: "send", input: { "/path": "*secret*" }, approval: "blocked" },
    ];
    const runtime = createRuntime({ policy: { rules }, builtins: false, tools: [makeTool()] });
    const [known, stranger] = [runtime.open(), runtime.open({ client: "stranger" })];
    const outcomes: (string | undefined)[] = [];
    for (let round = 0; round < 2; round++) {
      outcomes.push((await known.call("send", { path: "a" })).error?.code);
      outcomes.push((await known.call("send", { path: "secret" })).error?.code);
      outcomes.push((await stranger.call("send", { path: "a" })).error?.code);
    }
    expect(outcomes).toEqual([undefined, "blocked", "blocked", undefined, "blocked", "blocked"]);
    runtime.policy.replace({ rules: [{ tool: "send", approval: "blocked" }] });
    expect((await known.call("send", { path: "a" })).error?.code).toBe("blocked");
    await runtime.close();
  });

  test("a rule sees the input with its defaults, as in the call itself", async () => {
    const rules: Rule[] = [{ tool: "send", input: { "/days": "3" }, approval: "preApproved" }];
    const session = open(makeTool(), { rules });
    expect((await session.explain("send")).decision).toBe("preApproved");
    expect((await session.call("send")).ok).toBe(true);
    expect((await session.explain("send", { days: 4 })).decision).toBe("ask");
  });

  test("a rule for one definition of a tool no longer holds when the definition changes", async () => {
    let digest = "";
    const runtime = createRuntime({ builtins: false });
    runtime.tools.register(makeTool());
    const session = runtime.open({ approver: (request) => ((digest = request.digest), { decision: "allow" }) });
    await session.call("send");
    runtime.policy.replace({ rules: [{ tool: "send", approval: "preApproved", digest }] });
    expect((await session.explain("send")).decision).toBe("preApproved");
    runtime.tools.registerOrReplace(makeTool({ description: "Sends, and reads .env" }));
    expect((await session.explain("send")).decision).toBe("ask");
  });
});

describe("blocked", () => {
  const block: Rule = { capability: "network", approval: "blocked" };
  const own = { capabilities: ["network"], approval: "preApproved" } as const;

  test("A1-05 wins over closer rules, over the tool's own word and over approve-all, and the model never sees it", async () => {
    const rules: Rule[] = [{ tool: "send", input: { "/path": "*" }, approval: "preApproved" }, block];
    const session = open(makeTool(own), { rules }, { approve: "all" });
    expect((await session.call("send", { path: "x" })).error?.code).toBe("blocked");
    expect(session.list()).toEqual([]);
  });

  test("A1-05 wins over a remembered approval, and nobody is asked again", async () => {
    const asked: string[] = [];
    const runtime = createRuntime({ builtins: false });
    runtime.tools.register(makeTool());
    const session = runtime.open({
      approver: ({ tool }) => (asked.push(tool), { decision: "allow", remember: "tool" }),
    });
    expect((await session.call("send")).ok).toBe(true);
    runtime.policy.replace({ rules: [{ tool: "send", approval: "blocked" }] });
    expect((await session.call("send")).error?.code).toBe("blocked");
    expect(asked).toEqual(["send"]);
  });

  test("A1-05 for certain inputs leaves the others and is checked after the schema", async () => {
    const session = open(makeTool(own), {
      rules: [{ tool: "send", input: { "/path": "secret*" }, approval: "blocked" }],
    });
    expect((await session.call("send", { path: "secret/a" })).error?.code).toBe("blocked");
    expect((await session.call("send", { path: 5 })).error?.code).toBe("invalid_input");
    expect((await session.call("send", { path: "open" })).ok).toBe(true);
    expect(session.list()).toHaveLength(1);
  });
});

describe("the tool's own word", () => {
  test("A1-06 only an operator's rule silences a tool that asks, and the log says which", async () => {
    const asking = makeTool({ approval: "ask", capabilities: ["read"] });
    expect(await decide([], asking)).toBe("ask");
    const rules: Rule[] = [{ tool: "send", approval: "preApproved" }];
    const runtime = createRuntime({ policy: { rules }, builtins: false });
    runtime.tools.register(asking, FOREIGN);
    const session = runtime.open();
    expect((await session.call("send")).ok).toBe(true);
    const [intent] = await runtime.store.read({ session: session.id, type: "execute-start" });
    expect(intent?.data).toMatchObject({ decision: "preApproved", by: "rule", rule: `tool "send" → preApproved` });
  });

  test("A1-06 an agent that lists the tool does not silence it", async () => {
    const session = open(makeTool({ approval: "ask" }), {}, { agent: { name: "writer", tools: ["send"] } });
    expect((await session.call("send")).error?.code).toBe("denied");
  });

  test("a function decides by the input; one that throws or answers unclearly asks", async () => {
    const byPath = {
      approval: ({ path }: { path?: string }) => (path === "a" ? "preApproved" : "ask"),
    } as Partial<Tool>;
    expect(await decide([], byPath, { path: "a" })).toBe("preApproved");
    expect(await decide([], byPath, { path: "b" })).toBe("ask");
    const unclear = [
      () => "maybe",
      () => 1,
      () => {
        throw new Error("no");
      },
    ] as unknown as Tool["approval"][];
    for (const approval of unclear)
      expect(await decide([], { approval, capabilities: ["read"] } as Partial<Tool>)).toBe("ask");
  });
});

describe("explain", () => {
  test("lists every vote with its origin and makes no call", async () => {
    const origin = { file: "/w/pegboard.yaml", line: 3 };
    const runtime = createRuntime({
      builtins: false,
      policy: { rules: [{ tool: "send", approval: "preApproved", origin }] },
    });
    runtime.tools.register(makeTool({ approval: "ask", capabilities: ["network"] }));
    const session = runtime.open();
    expect(await session.explain("send")).toEqual({
      decision: "preApproved",
      by: "rule",
      rule: `tool "send" → preApproved`,
      reason: `the rule tool "send" → preApproved says so`,
      ...origin,
      votes: [
        { by: "rule", approval: "preApproved", rule: `tool "send" → preApproved`, ...origin },
        { by: "tool", approval: "ask", reason: "the tool itself says ask" },
        { by: "capability", approval: "ask", reason: "it can: network" },
      ],
    });
    expect(await runtime.store.read()).toEqual([]);
  });

  test("judges a tool that is not there by its name, and says so", async () => {
    const rules: Rule[] = [
      { toolset: "office", approval: "ask" },
      { tool: "office__send", approval: "preApproved" },
      { capability: "network", approval: "blocked" },
    ];
    const session = open(makeTool(), { rules });
    expect(await session.explain("office__send")).toMatchObject({
      decision: "preApproved",
      votes: [{ by: "rule" }, { by: "rule" }],
      reason: expect.stringContaining(`no tool named "office__send" is registered`),
    });
    expect(await session.explain("office__print")).toMatchObject({ decision: "ask", rule: `toolset "office" → ask` });
    expect(await session.explain("nosuch")).toMatchObject({ decision: "ask", votes: [{ by: "default" }] });
  });

  test("says that a tool outside the caller's reach is refused", async () => {
    const session = open(makeTool({ requiredAgent: "writer", approval: "preApproved" }), {});
    expect(await session.explain("send")).toMatchObject({
      decision: "blocked",
      by: "scope",
      reason: expect.stringContaining("reserved"),
    });
    expect(await session.explain("send", {}, { agent: { name: "writer" } })).toMatchObject({ decision: "preApproved" });
  });
});
