import { realpathSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "@pegboard/contract";
import { expect, test } from "vitest";
import { userSecrets } from "../../../src/node/index.ts";
import { discoverPlugins } from "../../../src/node/plugins/discover.ts";
import { storeSettings } from "../../../src/node/plugins/stored-settings.ts";
import { until } from "../../fixtures/mcp/place.ts";
import { makeFolder } from "../workspace-folder.ts";

/** A server that tells where it runs and what it was given, line by line over its standard streams. */
const SERVER = `
const { createInterface } = require("node:readline");
const { CLAUDE_PLUGIN_ROOT, CLAUDE_PLUGIN_DATA, PLUGIN_ROOT, PLUGIN_DATA, MARK, HOME } = process.env;
const where = () => ({ args: process.argv.slice(2), cwd: process.cwd(), CLAUDE_PLUGIN_ROOT, CLAUDE_PLUGIN_DATA, PLUGIN_ROOT, PLUGIN_DATA, MARK });
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "where", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "where", inputSchema: { type: "object" } }] }),
  "tools/call": () => ({ content: [{ type: "text", text: JSON.stringify(where()) }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const answer = answers[method];
  const outcome = answer ? { result: answer(params) } : { error: { code: -32601, message: "no such method" } };
  process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, ...outcome }) + "\\n");
});
`;

async function ask(files: Readonly<Record<string, string>>) {
  const folder = makeFolder({
    "pegboard.yaml": "version: 1\n",
    ...Object.fromEntries(Object.entries(files).map(([file, text]) => [`plugins/acme/${file}`, text])),
    "plugins/acme/server.cjs": SERVER,
  });
  const workspace = await folder.open({ approve: "all" });
  const session = workspace.open();
  await until(() => session.list().some(({ name }) => name === "acme-where__where"));
  const { content } = await session.call("acme-where__where", {});
  const root = realpathSync(join(folder.path, "plugins", "acme"));
  const data = join(folder.path, ".pegboard", "plugin-data", "acme");
  return { told: JSON.parse((content[0] as { text: string }).text) as Json, root, data };
}

test("A2-48: the server of a Claude plugin starts with its variables filled in", async () => {
  const { told, root, data } = await ask({
    ".claude-plugin/plugin.json": '{"name":"acme"}',
    ".mcp.json": JSON.stringify({
      where: {
        command: "node",
        args: ["${CLAUDE_PLUGIN_ROOT}/server.cjs", "${NOT_SET_ANYWHERE:-fallback}"],
        env: { MARK: "m" },
      },
    }),
  });
  expect(told).toMatchObject({ args: ["fallback"], CLAUDE_PLUGIN_ROOT: root, CLAUDE_PLUGIN_DATA: data, MARK: "m" });
});

test("the server of a Claude plugin starts with the person's settings, and anew with others; a secret is in no log", async () => {
  const manifest = { name: "acme", userConfig: { region: { required: true }, token: { sensitive: true } } };
  const folder = makeFolder({
    "plugins/acme/server.cjs": SERVER,
    "plugins/acme/.claude-plugin/plugin.json": JSON.stringify(manifest),
    "plugins/acme/.mcp.json": JSON.stringify({
      where: {
        command: "node",
        args: ["${CLAUDE_PLUGIN_ROOT}/server.cjs", "${user_config.region}"],
        env: { MARK: "${user_config.token}" },
      },
    }),
  });
  const secrets = userSecrets(folder.home);
  const workspace = await folder.open({ approve: "all", secrets });
  expect(workspace.plugins.get("acme")).toMatchObject({
    status: "failed",
    reason: expect.stringContaining("pegboard plugin config acme region=…"),
  });
  const { plugins } = await discoverPlugins(join(folder.path, "plugins"), {
    sandbox: () => expect.fail(),
    environments: "/nowhere",
  });
  const set = async (settings: Record<string, Json>) => {
    await storeSettings(folder.home, plugins[0]!, settings, secrets);
    await workspace.reload();
  };
  const told = async () => {
    const session = workspace.open();
    await until(() => session.list().some(({ name }) => name === "acme-where__where"));
    return session.call("acme-where__where", {});
  };
  await set({ region: "eu" });
  expect(workspace.plugins.get("acme")).toMatchObject({
    status: "degraded",
    reason: expect.stringContaining("--secret token"),
  });
  await set({ token: "s3cr3t-Value-0123456789" });
  expect(workspace.plugins.get("acme")).toMatchObject({ status: "healthy" });
  expect(JSON.stringify(await told())).toContain("eu");
  await set({ region: "us" });
  const result = JSON.stringify(await told());
  expect(result).toContain("us");
  // The server was given it, and what it says of it is hidden from everybody.
  expect(result).toMatch(/MARK[^,}]*\*|MARK[^,}]*secret/i);
  const seen = JSON.stringify([result, await workspace.store.read({}), workspace.plugins.list()]);
  expect(seen).not.toContain("s3cr3t-Value");
});

test("the server of an Agent Plugin starts in the plugin, with nothing filled in but its own two variables", async () => {
  const schema = "https://agent-plugins.org/schemas/1.0.0";
  const { told, root, data } = await ask({
    "plugin.json": JSON.stringify({ $schema: `${schema}/plugin.schema.json`, name: "acme" }),
    "mcp.json": JSON.stringify({
      $schema: `${schema}/mcp.schema.json`,
      mcpServers: {
        where: {
          type: "stdio",
          command: "node",
          args: ["server.cjs", "${HOME}", "${PLUGIN_DATA}/x"],
          env: { MARK: "${PATH} in ${PLUGIN_ROOT}" },
        },
      },
    }),
  });
  expect(told).toMatchObject({
    args: ["${HOME}", join(data, "x")],
    cwd: root,
    PLUGIN_ROOT: root,
    PLUGIN_DATA: data,
    MARK: `\${PATH} in ${root}`,
  });
});
