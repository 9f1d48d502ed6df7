import { describe, expect, test } from "vitest";
import { type ApprovalRequest, createRuntime, defineTool, type Json, type RuntimeOptions } from "../../src/index.ts";

const save = defineTool({
  name: "save",
  description: "Saves a file",
  input: { type: "object", properties: { path: { type: "string" }, text: { type: "string" } } },
  execute: () => "saved",
});

/** A session in which everything is allowed for its scope where that is offered, and what was asked. */
function start(options: RuntimeOptions = {}) {
  const asked: ApprovalRequest[] = [];
  const runtime = createRuntime({
    tools: [save],
    approver: (request) => {
      asked.push(request);
      return { decision: "allow", remember: request.options.includes("scope") ? "scope" : "once" };
    },
    ...options,
  });
  const session = runtime.open();
  const isAsked = async (path: Json) => {
    const before = asked.length;
    expect((await session.call("save", { path, text: String(before) })).ok).toBe(true);
    return asked.length > before;
  };
  return { asked, isAsked, runtime, session };
}

describe("an answer for the scope", () => {
  test("holds for the folder of a path and what is below, whatever else is in the input", async () => {
    const { asked, isAsked } = start();
    await isAsked("/src/a.ts");
    expect(asked[0]).toMatchObject({ options: ["once", "input", "scope", "tool"], scope: ["/src/"] });
    expect(await isAsked("/src/b.ts")).toBe(false);
    expect(await isAsked("/src/deep/c.ts")).toBe(false);
    expect(await isAsked("/source/d.ts")).toBe(true);
    expect(await isAsked("src/e.ts")).toBe(true);
  });

  test.each([
    ["goes up", "/src/../secret"],
    ["goes around", "/src/./a"],
    ["has a gap", "/src//a"],
    ["has a backslash", "/src/..\\secret"],
    ["is in the root", "/a.ts"],
    ["has no folder", "a.ts"],
    ["is a folder", "/src/deep/"],
    ["begins at home", "~/a"],
  ])("is neither offered nor taken where the path %s", async (_, path) => {
    const { asked, isAsked } = start();
    await isAsked("/src/a.ts");
    expect(await isAsked(path)).toBe(true);
    expect(asked[1]!.options).not.toContain("scope");
    expect(asked[1]).not.toHaveProperty("scope");
  });

  test("still holds when the session goes on with the log, and no longer in another session", async () => {
    const { isAsked, session, runtime } = start();
    await isAsked("/src/a.ts");
    await session.close();
    const again = runtime.open({ id: session.id });
    expect((await again.call("save", { path: "/src/b.ts" })).ok).toBe(true);
    const events = await runtime.store.read({ session: session.id, type: "approval-request" });
    expect(events).toMatchObject([{ data: { scope: ["/src/"] } }]);
    await runtime.open().call("save", { path: "/src/b.ts" });
    expect(await runtime.store.read({ type: "approval-request" })).toHaveLength(2);
  });

  test("is not remembered when it denies", async () => {
    let times = 0;
    const { session } = start({ approver: () => (times++, { decision: "deny", remember: "scope" }) });
    for (const path of ["/src/a.ts", "/src/b.ts"])
      expect((await session.call("save", { path })).error?.code).toBe("denied");
    expect(times).toBe(2);
  });
});
