import type { Agent } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import { AgentCatalog } from "../../src/agents/catalog.ts";

const agent = (name: string, more: Partial<Agent> = {}): Agent => ({
  name,
  description: `The agent ${name}`,
  instructions: "Help.",
  ...more,
});

describe("a catalog of agents", () => {
  test("A2-23: finds the user's agent before the project's, the plugin's and the built-in one, and the next when it goes", async () => {
    const catalog = new AgentCatalog({
      virtual: async () => [{ agent: agent("helper"), file: "agents/helper.md", diagnostics: [] }],
    });
    const layer = async () => (await catalog.find("helper"))?.source.layer;
    expect(await layer()).toBe("virtual");
    catalog.register(agent("helper"), { layer: "builtin" });
    expect(await layer()).toBe("builtin");
    const plugin = catalog.register(agent("helper"), { layer: "plugin", plugin: "kit" });
    expect(await layer()).toBe("plugin");
    catalog.register(agent("helper"));
    expect(await layer()).toBe("project");
    const user = catalog.register(agent("helper"), { layer: "user", file: "/home/agents/helper.md" });
    expect(await layer()).toBe("user");

    user[Symbol.dispose]();
    expect(await layer()).toBe("project");
    expect(catalog.unregister("helper")).toBe(true);
    expect(await layer()).toBe("plugin");
    plugin[Symbol.dispose]();
    expect(await layer()).toBe("builtin");
    expect(catalog.unregister("helper", "builtin")).toBe(true);
    expect(await layer()).toBe("virtual");
  });

  test("A2-24: lists each name once with the source that wins, and tells what it hides", async () => {
    const catalog = new AgentCatalog();
    catalog.register(agent("b"), { layer: "builtin" });
    catalog.register(agent("b"), { layer: "user", file: "/u/b.md" });
    catalog.register(agent("b"), { layer: "plugin", plugin: "kit", file: "/p/b.md" });
    catalog.register(agent("a"), { layer: "project" });
    expect((await catalog.list()).map(({ name, source, shadows }) => ({ name, source, shadows }))).toEqual([
      { name: "a", source: { layer: "project" }, shadows: [] },
      {
        name: "b",
        source: { layer: "user", file: "/u/b.md" },
        shadows: [{ layer: "plugin", plugin: "kit", file: "/p/b.md" }, { layer: "builtin" }],
      },
    ]);
  });

  test("two files of equal rank with one name are an error that names both, and are listed with it", async () => {
    const catalog = new AgentCatalog();
    catalog.register(agent("twin"), { file: "/w/a.md" });
    const second = catalog.register(agent("twin"), { file: "/w/b.md" });
    await expect(catalog.find("twin")).rejects.toMatchObject({
      code: "duplicate",
      message:
        'There are several agents named "twin": project /w/a.md and project /w/b.md. Give one of them another name',
    });
    expect(await catalog.list()).toMatchObject([
      { name: "twin", source: { file: "/w/a.md" }, diagnostics: [{ severity: "error", code: "duplicate" }] },
      { name: "twin", source: { file: "/w/b.md" }, diagnostics: [{ severity: "error", code: "duplicate" }] },
    ]);
    second[Symbol.dispose]();
    expect(await catalog.find("twin")).toMatchObject({ source: { file: "/w/a.md" } });
  });

  test("A2-25: agents of two plugins with one name are found with their plugin's name, and listed by it", async () => {
    const catalog = new AgentCatalog();
    catalog.register(agent("helper"), { layer: "plugin", plugin: "one" });
    catalog.register(agent("helper"), { layer: "plugin", plugin: "two" });
    await expect(catalog.find("helper")).rejects.toThrow("Say which: one/helper or two/helper");
    expect(await catalog.find("two/helper")).toMatchObject({ name: "two/helper", source: { plugin: "two" } });
    expect((await catalog.list()).map(({ name, diagnostics }) => [name, diagnostics])).toEqual([
      ["one/helper", undefined],
      ["two/helper", undefined],
    ]);
    catalog.register(agent("helper"), { layer: "user" });
    expect(await catalog.find("helper")).toMatchObject({ source: { layer: "user" }, shadows: [{}, {}] });
    expect(await catalog.find("one/helper")).toMatchObject({ source: { plugin: "one" } });
  });

  test("A2-26: refuses an agent of a plugin without the plugin's name; taking away an unknown one is false", () => {
    const catalog = new AgentCatalog();
    const refusal = (register: () => void) => {
      try {
        register();
      } catch (error) {
        return error as { code: string; message: string };
      }
      return undefined;
    };
    expect(refusal(() => catalog.register(agent("a"), { layer: "plugin" }))).toMatchObject({
      code: "invalid_definition",
      message: 'Agent "a" is refused: an agent of a plugin needs the plugin\'s name',
    });
    expect(refusal(() => catalog.register(agent("a"), { layer: "user", plugin: "kit" }))?.code).toBe(
      "invalid_definition",
    );
    expect(refusal(() => catalog.register(agent("not a name")))?.code).toBe("invalid_definition");
    catalog.register(agent("a"), { layer: "plugin", plugin: "kit" });
    expect(refusal(() => catalog.register(agent("a"), { layer: "plugin", plugin: "kit" }))).toMatchObject({
      code: "duplicate",
      message: expect.stringContaining('"kit/a"'),
    });
    expect(catalog.unregister("nobody")).toBe(false);
    expect(catalog.unregister("a", "user")).toBe(false);
    expect(catalog.unregister("kit/a")).toBe(true);
  });

  test("says what may have been meant by an unknown name", async () => {
    const catalog = new AgentCatalog();
    catalog.register(agent("researcher"));
    expect(await catalog.find("reseacher")).toBeUndefined();
    await expect(catalog.resolve("reseacher")).rejects.toMatchObject({
      code: "not_found",
      message: 'There is no agent named "reseacher". Did you mean "researcher"? Available: researcher',
    });
    expect((await catalog.resolve("researcher")).agent.name).toBe("researcher");
  });

  test("lists what is held and does not let it run", async () => {
    const catalog = new AgentCatalog();
    catalog.register(agent("stranger"), { held: true, file: "/w/agents/stranger.md" });
    expect(await catalog.list()).toMatchObject([{ name: "stranger", held: true }]);
    await expect(catalog.resolve("stranger")).rejects.toMatchObject({
      code: "untrusted",
      message: expect.stringContaining("pegboard trust"),
    });
  });

  test("gives agents that name no tools none where that is the rule, and leaves a list as it is", async () => {
    let tools: "all" | "none" = "all";
    const catalog = new AgentCatalog({ defaultTools: () => tools });
    catalog.register(agent("open"));
    catalog.register(agent("listed", { tools: ["vfs_*"] }));
    expect((await catalog.find("open"))?.agent.tools).toBeUndefined();
    tools = "none";
    expect((await catalog.find("open"))?.agent.tools).toEqual([]);
    expect((await catalog.find("listed"))?.agent.tools).toEqual(["vfs_*"]);
  });

  test("tells of every registration that comes or goes", () => {
    const catalog = new AgentCatalog();
    let changes = 0;
    const listening = catalog.onChange(() => changes++);
    const registered = catalog.register(agent("a"));
    catalog.register(agent("b"));
    registered[Symbol.dispose]();
    registered[Symbol.dispose]();
    catalog.unregister("b");
    catalog.unregister("b");
    expect(changes).toBe(4);
    listening[Symbol.dispose]();
    catalog.register(agent("c"));
    expect(changes).toBe(4);
  });
});
