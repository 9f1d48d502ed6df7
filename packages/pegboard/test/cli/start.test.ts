import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { CONFIG, makePlace, type Place } from "./run.ts";

const RECORDER = new URL("./record-modules.ts", import.meta.url).href;

/** What only some commands and workspaces need, by a piece of its address. */
const PARTS = {
  yaml: "/node_modules/yaml/",
  ajv: "/node_modules/ajv/",
  unbash: "/node_modules/unbash/",
  htmlparser2: "/node_modules/htmlparser2/",
  sqlite: "node:sqlite",
  workspace: "/src/node/workspace.ts",
  files: "/src/node/files/",
  shell: "/src/node/shell/shell.ts",
  web: "/src/node/web/fetch-page.ts",
  search: "/src/tools/search/",
  commands: "/src/node/command-tool.ts",
  sandbox: "/src/node/sandbox/drivers.ts",
  recipes: "/src/node/load-recipe.ts",
  providers: "/src/models/registry.ts",
  agents: "/src/node/agents/read-agents.ts",
  runs: "/src/agents/see-run.ts",
  tasks: "/src/agents/tasks.ts",
  sessions: "/src/agents/sessions.ts",
  mcp: "/node_modules/@modelcontextprotocol/",
};

const COMMAND_TOOL = "tools: [{ name: now, description: The time, command: [date] }]\n";

describe("a start", () => {
  test.each([
    ["--version", CONFIG, []],
    ["--help", CONFIG, []],
    ["list", CONFIG, ["yaml", "workspace"]],
    ["list --json", `${CONFIG}web: { ports: [8080] }\n`, ["yaml", "workspace"]],
    ["list", `${CONFIG}toolsets: { filesystem: {} }\n`, ["yaml", "workspace", "files"]],
    ["list", `${CONFIG}toolsets: { shell: {} }\n`, ["yaml", "unbash", "workspace", "shell"]],
    ["list", `${CONFIG}${COMMAND_TOOL}`, ["yaml", "workspace", "commands"]],
    ["log", CONFIG, ["sqlite"]],
    ["session list", CONFIG, ["sqlite", "sessions"]],
    ["call vfs_list", CONFIG, ["yaml", "ajv", "sqlite", "workspace"]],
  ])("pegboard %s in a workspace that says %j loads only %j", async (command, config, needed) => {
    const place = makePlace({ "pegboard.yaml": config }, { trust: true });
    expect(await partsOf(place, command.split(" "))).toEqual(needed);
  });

  test("loads what speaks to MCP servers only for a server that is not known yet", async () => {
    const server = fileURLToPath(new URL("../fixtures/mcp/raw-server.ts", import.meta.url));
    const config = `${CONFIG}mcpServers: { raw: { command: "${process.execPath}", args: ["${server}"] } }\n`;
    const place = makePlace({ "pegboard.yaml": config }, { trust: true });
    expect(await partsOf(place, ["list"])).toContain("mcp");
    expect(await partsOf(place, ["list"])).toEqual(["yaml", "workspace"]);
  });
});

/** Runs a command and tells which parts it loaded. */
async function partsOf(place: Place, argv: readonly string[]): Promise<string[]> {
  const record = join(place.home, "..", "modules");
  const env = { NODE_OPTIONS: `--import=${RECORDER}`, LOADED_MODULES: record };
  expect(await place.runWith({ env }, ...argv)).toMatchObject({ code: 0 });
  const modules = readFileSync(record, "utf8").split("\n");
  return Object.entries(PARTS).flatMap(([part, piece]) => (modules.some((url) => url.includes(piece)) ? [part] : []));
}
