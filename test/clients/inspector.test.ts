import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { type InstalledFolder, installPackages } from "../install.ts";

const BIN = fileURLToPath(new URL("../../packages/pegboard/bin/pegboard.js", import.meta.url));

/** Schemas that some clients refuse as their authors wrote them. */
const ODD_TOOLS = `
const tool = (name, input) => ({ name, description: "Takes an odd input", input, execute: () => "done" });
export const either = tool("either", {
  type: "object",
  properties: { a: true, b: { type: "string" } },
  anyOf: [{ required: ["a"] }, { required: ["b"] }],
});
export const referring = tool("referring", {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  type: "object",
  properties: { node: { $ref: "#/$defs/node" }, pair: { type: "array", prefixItems: [{ type: "string" }, {}] } },
  $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
});
export const nothing = tool("nothing", { type: "object" });
`;

let inspector: InstalledFolder;
beforeAll(async () => {
  inspector = await installPackages("pegboard-inspector-", ["@modelcontextprotocol/inspector@2.12.0"]);
});
afterAll(() => inspector.remove());

test("the strict check of the MCP Inspector finds no error in what a workspace offers, and nothing at all in what is ours", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pegboard-clients-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write("pegboard.yaml", "version: 1\ntoolsets: { filesystem: {}, shell: { default: ask } }\n");
  write("tools/odd.mjs", ODD_TOOLS);
  write("agents/helper.md", "---\nname: helper\ndescription: Helps\n---\nYou help.\n");
  const env = { PATH: process.env["PATH"]!, HOME: root, PEGBOARD_HOME: join(root, "home") };
  const command = [join(inspector.folder, "node_modules/.bin/mcp-inspector"), "--cli", "--strict"];
  const server = [process.execPath, BIN, "mcp", "-C", root, "--trust"];
  const { code, stdout, stderr } = await new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) =>
    execFile(process.execPath, [...command, ...server, "--method", "tools/list"], { env }, (error, out, err) =>
      resolve({ code: error?.code ?? 0, stdout: out, stderr: err }),
    ),
  );
  expect(code).toBe(0);
  // What takes anything is told to be so, and is the word of its author.
  expect(stderr).toContain("0 errors");
  const noted = stderr.matchAll(/tool "(.+?)"/g).map(([, name]) => name!);
  expect(new Set(noted)).toEqual(new Set(["either", "referring"]));
  const { tools } = JSON.parse(stdout) as { tools: { name: string }[] };
  const names = tools.map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(["either", "referring", "nothing", "read_file", "shell", "agent_helper"]),
  );
});
