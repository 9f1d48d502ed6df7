import { readdirSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import type { Plugin, PluginTool } from "@pegboard/contract";
import { expect, test } from "vitest";
import { createRuntime } from "../../src/index.ts";

const descriptors = () => (process.platform === "linux" ? readdirSync("/proc/self/fd").length : 0);

test(
  "a thousand times enabled and disabled under load, plugins leave no tool, hook, session, timer or descriptor behind",
  { timeout: 60_000 },
  async () => {
    const runtime = createRuntime({ approve: "all" });
    let listeners = 0;
    const handler: PluginTool["handler"] = async ({ state, call }) => {
      state.set("called", true);
      return (await call("vfs_list", { prefix: "" })).ok ? "listed" : "failed";
    };
    const plugin = (name: string): Plugin => ({
      name,
      version: "1.0.0",
      tools: [{ name: "t", description: "does t", schema: { type: "object" }, handler }],
      agents: [{ name: "helper", description: "helps", instructions: "Help." }],
      skills: [{ name: "brew", description: "brews", read: () => "Boil water." }],
      commands: [{ name: "tea", description: "makes tea", prompt: "Make tea." }],
      register: () => ({ beforeCall: () => undefined }),
      start: async ({ signal, background, call }) => {
        await call("vfs_list", { prefix: "" });
        listeners++;
        signal.addEventListener("abort", () => listeners--);
        background("idling", () => new Promise((resolve) => signal.addEventListener("abort", () => resolve())));
      },
    });
    await runtime.plugins.add({ plugin: plugin("stays") }, { plugin: plugin("goes") });
    const session = runtime.open();
    const codes = new Set<string>();
    let loaded = true;
    const load = async () => {
      while (loaded) {
        const { ok, error } = await session.call("goes__t");
        codes.add(ok ? "ok" : error!.code);
        expect((await session.call("stays__t")).ok).toBe(true);
        // Calls that need nothing of the world never let anything else have a turn.
        await setImmediate();
      }
    };
    const loads = [load(), load(), load()];
    const count = async (type: "session-start" | "session-end") => (await runtime.store.read({ type })).length;
    await session.call("vfs_list", { prefix: "" });
    const measure = async () => ({
      tools: runtime.tools.count,
      agents: (await runtime.agents.list()).length,
      skills: runtime.skills.list().length,
      commands: runtime.commands.list().length,
      hooks: runtime.plugins.hooks.length,
      listeners,
      sessions: (await count("session-start")) - (await count("session-end")),
      descriptors: descriptors(),
      process: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
    });
    const before = await measure();
    for (let cycle = 0; cycle < 1_000; cycle++) {
      await runtime.plugins.disable("goes");
      if (cycle % 10 === 0) await setImmediate();
      await runtime.plugins.enable("goes");
      if (cycle % 10 === 0) await setImmediate();
    }
    loaded = false;
    await Promise.all(loads);
    expect(await measure()).toEqual(before);
    expect(codes.has("ok")).toBe(true);
    expect([...codes].filter((code) => code !== "ok" && code !== "not_found")).toEqual([]);
    await runtime.close();
    expect(runtime.tools.count).toBe(0);
    expect(listeners).toBe(0);
    expect(process.getActiveResourcesInfo().filter((kind) => kind === "Timeout")).toEqual([]);
  },
);
