import { describe, expect, test } from "vitest";
import { withReason, type ReasonedApproval } from "../../src/core/reasoned-approval.ts";
import {
  type ApprovalRequest,
  createRuntime,
  defineTool,
  type RegisterOptions,
  type Remember,
  type SessionOptions,
} from "../../src/index.ts";

const BUILTIN: RegisterOptions = { source: { kind: "builtin", id: "files" } };
const FOREIGN: RegisterOptions = { source: { kind: "package", id: "files" } };
const ALLOWED = { rules: [{ tool: "change", approval: "preApproved" }] } as const;

function open(
  said: ReasonedApproval,
  options: SessionOptions = {},
  registered = BUILTIN,
  policy: Parameters<typeof createRuntime>[0] = { policy: ALLOWED },
) {
  const input = { type: "object", properties: { path: { type: "string" } } } as const;
  const tool = defineTool({
    name: "change",
    description: "Changes",
    input,
    approval: withReason(() => said),
    execute: () => "changed",
  });
  const runtime = createRuntime({ ...policy, builtins: false });
  runtime.tools.register(tool, registered);
  return runtime.open(options);
}

const FIRM: ReasonedApproval = { approval: "ask", firm: true, reason: "it decides what runs" };

describe("a check of a tool of ours that gives its reason", () => {
  test("that is firm asks although a rule of the operator allows the tool", async () => {
    expect(await open(FIRM).explain("change")).toMatchObject({
      decision: "ask",
      by: "tool",
      firm: true,
      reason: "it decides what runs",
    });
    const { error } = await open(FIRM).call("change");
    expect(error).toMatchObject({
      code: "denied",
      message: expect.stringMatching(/it decides what runs.*No rule allows it/),
    });
  });

  test("that is not firm yields to the rule", async () => {
    expect(await open({ approval: "ask", reason: "it writes" }).explain("change")).toMatchObject({
      decision: "preApproved",
      by: "rule",
    });
  });

  test("blocks with its reason, and a rule that blocks outranks one that is firm", async () => {
    expect((await open({ approval: "blocked", reason: "it is read-only" }).call("change")).error).toMatchObject({
      code: "blocked",
      message: expect.stringContaining("it is read-only"),
    });
    const blocked = { policy: { rules: [{ tool: "change", input: { "/path": "*" }, approval: "blocked" }] } } as const;
    expect((await open(FIRM, { approve: "all" }, BUILTIN, blocked).call("change", { path: "a" })).error?.code).toBe(
      "blocked",
    );
  });

  test("that is firm yields to the operator's own word for everything", async () => {
    expect((await open(FIRM, { approve: "all" }).call("change")).ok).toBe(true);
  });

  test("that is firm is covered by an answer to the very same input, and by no wider one", async () => {
    const asked: ApprovalRequest[] = [];
    const session = (remember: Remember) =>
      open(FIRM, {
        approver: (request) => {
          asked.push(request);
          return { decision: "allow", remember };
        },
      });
    const same = session("input");
    for (const path of ["a", "a", "b"]) expect((await same.call("change", { path })).ok).toBe(true);
    expect(asked.map(({ input }) => input)).toEqual([{ path: "a" }, { path: "b" }]);
    expect(asked[0]!.options).toEqual(["once", "input"]);
    expect((await session("tool").call("change", { path: "a" })).error?.message).toContain(
      `"remember" must be one of once, input`,
    );
  });

  test("does not count when it comes from somebody else: it asks, and a rule can allow it", async () => {
    expect(
      await open({ approval: "preApproved", reason: "trust me" }, {}, FOREIGN, {}).explain("change"),
    ).toMatchObject({ decision: "ask", reason: expect.stringContaining("no clear answer") });
    expect(await open(FIRM, {}, FOREIGN).explain("change")).toMatchObject({ decision: "preApproved", by: "rule" });
  });
});
