import { definePlugin } from "@pegboard/contract";
import { expect, onTestFinished, test } from "vitest";
import { createRuntime, pluginMcpServers, Registry } from "../../src/index.ts";
import { createLocalMcpPool } from "../../src/node/index.ts";
import { program, until } from "../fixtures/mcp/place.ts";

async function open() {
  const pool = createLocalMcpPool();
  const registry = new Registry();
  const mcpServer = pluginMcpServers(
    () => registry,
    () => ({ pool }),
  );
  const runtime = createRuntime({ registry, builtins: false, plugins: { mcpServer } });
  onTestFinished(async () => {
    await runtime.close();
    await pool[Symbol.asyncDispose]();
  });
  return runtime;
}

test("the MCP servers of a plugin bring tools under its name, which go with it", async () => {
  const runtime = await open();
  const plugin = definePlugin({ name: "acme", version: "1.0.0", mcpServers: { calc: program("sdk2") } });
  await runtime.plugins.add({ plugin });
  await until(() => runtime.tools.names().includes("acme-calc__add"));
  expect(runtime.tools.find("acme-calc__add")).toMatchObject({
    layer: "plugin",
    source: { kind: "mcp", id: "acme-calc", plugin: "acme" },
  });
  const session = runtime.open({ approve: "all" });
  expect(await session.call("acme-calc__add", { a: 1, b: 2 })).toMatchObject({ structured: { sum: 3 } });
  await runtime.plugins.disable("acme");
  expect(runtime.tools.count).toBe(0);
});

test("a server of a plugin that cannot be had degrades the plugin, and names the server", async () => {
  const runtime = await open();
  const plugin = definePlugin({
    name: "acme",
    version: "1.0.0",
    mcpServers: { gone: { command: "no-such-program" } },
  });
  await runtime.plugins.add({ plugin });
  await until(() => runtime.plugins.list()[0]!.status === "degraded");
  expect(runtime.plugins.list()[0]!.reason).toMatch(/gone.*was not found/s);
});

test("a runtime that was not told how to reach servers says so of a plugin that brings one", async () => {
  const runtime = createRuntime();
  const [view] = await runtime.plugins.add({
    plugin: { name: "acme", version: "1.0.0", mcpServers: { calc: { command: "calc" } } },
  });
  expect(view).toMatchObject({ status: "degraded", reason: expect.stringMatching(/"calc".*plugins\.mcpServer/) });
  const off = await runtime.plugins.switch("acme", { mcpServers: ["calc"] });
  expect(off.status).toBe("healthy");
});
