import { defineTool } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import { createRuntime, type PolicyOptions } from "../../../src/index.ts";
import { makeFolder } from "../workspace-folder.ts";
import { ECHO, echoTool, manifest } from "./manifest-files.ts";

async function decide(capability: string) {
  const workspace = await makeFolder({
    "pegboard.yaml": "version: 1\nsandbox: { mode: process }\n",
    "plugins/kit/plugin.json": manifest("kit", { tools: [echoTool("t", { capabilities: [capability] })] }),
    "plugins/kit/echo.js": ECHO,
  }).open();
  expect(workspace.diagnostics).toEqual([]);
  const { decision } = await workspace.open().explain("kit__t");
  return { decision, capabilities: workspace.tools.get("kit__t")?.capabilities };
}

describe("what a plugin's tool says that it touches", () => {
  test.each([
    ["fs_write", ["process", "write"]],
    ["shell", ["process"]],
    ["process", ["process"]],
    ["remote", ["process", "network"]],
  ])("A2-46: %s asks", async (capability, capabilities) => {
    expect(await decide(capability)).toEqual({ decision: "ask", capabilities });
  });

  test.each(["read", "network"] as const)("A2-46: %s alone is decided by the policy", async (capability) => {
    const tool = defineTool({
      name: "t",
      description: "d",
      input: { type: "object" },
      capabilities: [capability],
      execute: () => 1,
    });
    const decideWith = async (policy: PolicyOptions) => {
      const runtime = createRuntime({ policy });
      await runtime.plugins.add({ plugin: { name: "kit", version: "1.0.0", tools: [tool] } });
      const { decision } = await runtime.open().explain("kit__t");
      await runtime.close();
      return decision;
    };
    expect(await decideWith({})).toBe("ask");
    expect(await decideWith({ rules: [{ capability, approval: "preApproved" }] })).toBe("preApproved");
  });

  test("A2-46: a tool can tell from its input whether it asks", async () => {
    const remove = defineTool({
      name: "remove",
      description: "d",
      input: { type: "object", properties: { dry: { type: "boolean" } } },
      capabilities: ["write"],
      approval: (input: { dry?: boolean }) => (input.dry ? "preApproved" : "ask"),
      execute: () => "done",
    });
    const runtime = createRuntime({ tools: [remove] });
    const session = runtime.open();
    expect((await session.explain("remove", { dry: true })).decision).toBe("preApproved");
    expect((await session.explain("remove", { dry: false })).decision).toBe("ask");
    await runtime.close();
  });

  test("an unknown word is refused with the ones that there are", async () => {
    const workspace = await makeFolder({
      "plugins/kit/plugin.json": manifest("kit", { tools: [echoTool("t", { capabilities: ["magic"] })] }),
    }).open();
    expect(workspace.diagnostics).toMatchObject([
      { message: expect.stringMatching(/"magic" is unknown; there are read, fs_read/) },
    ]);
  });
});
