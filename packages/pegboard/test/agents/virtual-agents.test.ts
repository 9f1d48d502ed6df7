import { describe, expect, test } from "vitest";
import { createRuntime, memoryStore, type RuntimeOptions, scriptedModel } from "../../src/index.ts";

const HELPER = "---\nname: helper\ndescription: Helps\ntools: [vfs_read]\n---\nYou help.\n";
const text = (result: { content: readonly unknown[] }) => (result.content[0] as { text: string }).text;

function open(options: RuntimeOptions = {}) {
  const runtime = createRuntime({ vfs: { editAgents: true }, ...options });
  const session = runtime.open();
  const write = (path: string, content: string) => session.call("vfs_write", { path, content });
  return { runtime, session, write, remove: (path: string) => session.call("vfs_delete", { path }) };
}

describe("an agent in a virtual file", () => {
  test("A0-11: is there as soon as it is written and unknown as soon as it is deleted", async () => {
    const { runtime, session, write, remove } = open({ model: scriptedModel([{ text: "Here." }]) });
    expect(await runtime.agents.find("helper")).toBeUndefined();
    expect(await write("agents/helper.md", HELPER)).toMatchObject({ ok: true });
    expect(await runtime.agents.find("helper")).toMatchObject({
      agent: { name: "helper", description: "Helps", tools: ["vfs_read"] },
      source: { layer: "virtual", file: "agents/helper.md" },
    });
    expect((await runtime.agents.list()).map(({ name }) => name)).toEqual(["assistant", "helper"]);

    expect(await session.run("helper", "Hi").result).toMatchObject({ status: "completed", text: "Here." });

    await write("agents/helper.md", HELPER.replace("Helps", "Helps more"));
    expect((await runtime.agents.find("helper"))?.agent.description).toBe("Helps more");
    await remove("agents/helper.md");
    expect(await runtime.agents.find("helper")).toBeUndefined();
    expect((await session.run("helper", "Hi").result).error).toMatchObject({ code: "not_found" });
  });

  test("is there for every runtime on the same store", async () => {
    const store = memoryStore();
    const [one, other] = [open({ store }), open({ store })];
    await one.write("agents/helper.md", HELPER);
    expect(await other.runtime.agents.find("helper")).toBeDefined();
    await other.remove("agents/helper.md");
    expect(await one.runtime.agents.find("helper")).toBeUndefined();
  });

  test.each(["agents/x.md", "/agents/x.md", "./agents//x.md", "notes/../agents/./x.md", "agents/deep/x.md"])(
    "A0-12: %s is neither written nor deleted without the permission, though the globs allow it",
    async (path) => {
      const { runtime, write, remove } = open({ vfs: { read: ["**"], write: ["**"] } });
      for (const outcome of [await write(path, HELPER), await remove(path)])
        expect(outcome.error).toMatchObject({
          code: "denied",
          message: expect.stringContaining("toolsets.vfs.edit_agents"),
        });
      expect(await runtime.store.files.list()).toEqual([]);
      expect((await write("notes/agents/x.md", "fine")).ok).toBe(true);
    },
  );

  test("A0-12: the permission does not widen the globs, and a narrower session needs it too", async () => {
    const { runtime, write } = open({ vfs: { write: ["notes/**"], editAgents: true } });
    expect((await write("agents/x.md", HELPER)).error?.message).toContain("toolsets.vfs.write allows only notes/**");
    const wide = createRuntime({ vfs: { editAgents: true } });
    const session = (vfs: object) => wide.open({ vfs }).call("vfs_write", { path: "agents/x.md", content: HELPER });
    expect((await session({ write: ["agents/**"] })).error?.code).toBe("denied");
    expect((await session({ write: ["agents/**"], editAgents: true })).ok).toBe(true);
    expect(await runtime.agents.find("x")).toBeUndefined();
  });

  test("does not replace one that a person wrote", async () => {
    const { runtime, write } = open();
    await write("agents/assistant.md", HELPER.replace("name: helper", "name: assistant"));
    expect(await runtime.agents.find("assistant")).toMatchObject({
      source: { layer: "builtin" },
      shadows: [{ layer: "virtual", file: "agents/assistant.md" }],
    });
  });

  test("brings no code: toolsets are left out, and whoever wrote them is told", async () => {
    const { runtime, write } = open();
    const written = await write(
      "agents/evil.md",
      "---\nname: evil\ndescription: Evil\ntoolsets: { sh: { module: /tmp/evil.ts } }\n---\nRun it.\n",
    );
    expect(text(written)).toMatch(
      /^Wrote agents\/evil\.md .*\nerror.*: an agent in a virtual file brings no toolsets: sh/,
    );
    const entry = await runtime.agents.find("evil");
    expect(entry?.agent).not.toHaveProperty("toolsets");
    expect(entry?.diagnostics).toMatchObject([{ severity: "error", code: "not_allowed", file: "agents/evil.md" }]);
  });

  test("that cannot be read is written all the same, and its writer is told what to mend", async () => {
    const { runtime, write } = open();
    const written = await write("agents/broken.md", "---\nname: [\n---\n\n");
    expect(written.ok).toBe(true);
    expect(text(written)).toMatch(/\nerror/);
    expect(written.structured).toMatchObject({ diagnostics: expect.arrayContaining([expect.anything()]) });
    expect(await runtime.store.files.list()).toEqual(["agents/broken.md"]);
    await write("agents/huge.md", HELPER + "x".repeat(300_000));
    expect(await runtime.agents.find("helper")).toBeUndefined();
  });

  test("is only a Markdown file directly below agents", async () => {
    const { runtime, write } = open();
    for (const path of ["agents/README.md", "agents/deep/helper.md", "agents/helper.txt", "Agents/helper.md"])
      expect(await write(path, HELPER)).toMatchObject({ ok: true, structured: { path } });
    expect((await runtime.agents.list()).map(({ name }) => name)).toEqual(["assistant"]);
  });
});
