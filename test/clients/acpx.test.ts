import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type InstalledFolder, installPackages } from "../install.ts";

const BIN = fileURLToPath(new URL("../../packages/pegboard/bin/pegboard.js", import.meta.url));
const SERVER = fileURLToPath(new URL("../../packages/pegboard/test/fixtures/mcp/sdk-2-server.ts", import.meta.url));

let acpx: InstalledFolder;
beforeAll(async () => {
  acpx = await installPackages("pegboard-acpx-", ["acpx@0.19.1"]);
});
afterAll(() => acpx.remove());

type Turn = string | { readonly calls: readonly { readonly tool: string; readonly input: unknown }[] };

/** A trusted workspace whose agent says these turns, and a way to prompt it with acpx. */
function makeWorkspace(turns: readonly Turn[]) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pegboard-clients-")));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const folder = join(root, "workspace");
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write("pegboard.yaml", "version: 1\nmodel: scripted:script.json\ntoolsets: { filesystem: {} }\n");
  write("script.json", JSON.stringify(turns));
  write("a.md", "the old text\n");
  const env = { PATH: process.env["PATH"]!, HOME: root, PEGBOARD_HOME: join(root, "home"), PEGBOARD_TRUST: "1" };
  const exec = (...flags: readonly string[]) =>
    new Promise<Told>((resolve) => {
      const agent = `${process.execPath} ${BIN} acp`;
      const main = join(acpx.folder, "node_modules/acpx/dist/cli.js");
      const args = [main, "--format", "json", ...flags, "--cwd", folder, "--agent", agent, "exec", "Do it"];
      execFile(process.execPath, args, { env, cwd: folder }, (error, stdout, stderr) => {
        const lines = stdout.split("\n").filter((line) => line.startsWith("{"));
        const updates = lines.flatMap((line): Update[] => {
          const update = (JSON.parse(line) as Line).params?.update;
          return update ? [update] : [];
        });
        resolve({ code: error ? Number(error.code) : 0, updates, stdout, stderr });
      });
    });
  return { folder, write, read: (path: string) => readFileSync(join(folder, path), "utf8"), exec };
}

interface Line {
  readonly params?: { readonly update?: Update };
}

type Update = Readonly<Record<string, unknown>>;

interface Told {
  readonly code: number;
  readonly updates: readonly Update[];
  readonly stdout: string;
  readonly stderr: string;
}

const call = (tool: string, input: unknown): Turn => ({ calls: [{ tool, input }] });
const EDIT = call("edit_file", { path: "/a.md", edits: [{ old: "old", new: "new" }] });

describe("acpx", () => {
  test("lets an agent change a file when everything is approved", async () => {
    const workspace = makeWorkspace([EDIT, "It is new now."]);
    const { code, updates, stdout } = await workspace.exec("--approve-all");
    expect(updates, stdout).toContainEqual(
      expect.objectContaining({ content: { type: "text", text: "It is new now." } }),
    );
    expect(code).toBe(0);
    expect(workspace.read("a.md")).toBe("the new text\n");
  });

  test("keeps an agent from changing a file when everything is denied", async () => {
    const workspace = makeWorkspace([EDIT, "Too bad."]);
    const { updates, stdout } = await workspace.exec("--deny-all");
    expect(updates, stdout).toContainEqual(expect.objectContaining({ status: "failed" }));
    expect(workspace.read("a.md")).toBe("the old text\n");
  });

  test("lends the agent its files and its terminal", async () => {
    const workspace = makeWorkspace([]);
    const path = join(workspace.folder, "a.md");
    const turns = [
      call("client_read_file", { path }),
      call("client_write_file", { path, content: "written by acpx\n" }),
      call("client_terminal", { command: "cat", args: [path] }),
      "Done",
    ];
    workspace.write("script.json", JSON.stringify(turns));
    const { updates, stdout } = await workspace.exec("--approve-all");
    const done = updates.filter(({ status }) => status === "completed");
    expect(done, stdout).toHaveLength(3);
    expect(JSON.stringify(done[0])).toContain("the old text");
    expect(done[2]).toMatchObject({ rawOutput: { exitCode: 0, output: expect.stringContaining("written by acpx") } });
  });

  test("lends the agent nothing when it announces nothing", async () => {
    const workspace = makeWorkspace([call("client_read_file", { path: "/a.md" }), "Well"]);
    const { updates, stdout } = await workspace.exec("--approve-all", "--no-fs", "--no-terminal");
    const failed = updates.find(({ status }) => status === "failed");
    expect(JSON.stringify(failed), stdout).toContain("There is no tool named");
    expect(JSON.stringify(failed)).not.toContain("client_terminal");
  });

  test("hands MCP servers over", async () => {
    const workspace = makeWorkspace([call("sums__add", { a: 1, b: 2 }), "Three"]);
    const server = { name: "sums", type: "stdio", command: process.execPath, args: [SERVER], env: [] };
    workspace.write("mcp.json", JSON.stringify({ mcpServers: [server] }));
    const { updates, stdout } = await workspace.exec(
      "--approve-all",
      "--mcp-config",
      join(workspace.folder, "mcp.json"),
    );
    expect(updates, stdout).toContainEqual(expect.objectContaining({ status: "completed", rawOutput: { sum: 3 } }));
  });
});
