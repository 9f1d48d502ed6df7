import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { CLIENTS } from "../../src/cli/clients.ts";
import { CONFIG, makePlace, type Outcome } from "./run.ts";

const READERS = { json: JSON.parse, toml: parseToml, yaml: parseYaml } as Readonly<
  Record<string, (text: string) => any>
>;

interface Printed {
  readonly file: string;
  readonly format: string;
  readonly text: string;
  readonly written: boolean;
}

function place(files: Readonly<Record<string, string>> = {}) {
  const made = makePlace({ "pegboard.yaml": CONFIG, ...files });
  const env = { HOME: made.home, XDG_CONFIG_HOME: join(made.home, ".config") };
  const connect = (...argv: string[]): Promise<Outcome> => made.runWith({ env }, "connect", ...argv);
  const print = async (...argv: string[]) => JSON.parse((await connect(...argv, "--json")).stdout) as Printed;
  return { made, connect, print };
}

/** What a client would start, or ask. */
function entryOf({ text, format }: Printed, client: string): any {
  const servers = READERS[format]!(text)[CLIENTS[client]!.key];
  return Array.isArray(servers) ? servers.find(({ name }) => name === "pegboard") : servers["pegboard"];
}

describe("pegboard connect", () => {
  it.for(Object.keys(CLIENTS))("prints what %s reads, and it starts this very workspace", async (client) => {
    const { made, print } = place();
    const printed = await print(client);
    expect(printed.written || existsSync(printed.file)).toBe(false);
    const entry = entryOf(printed, client);
    const { command, cmd, args } = entry.transport ?? entry;
    const line = [command ?? cmd, args ?? []].flat(2) as string[];
    expect(line.slice(-3)).toEqual([client === "zed-agent" ? "acp" : "mcp", "--workspace", made.folder]);
    expect(line.slice(0, -3).every((path) => existsSync(path))).toBe(true);
  });

  it("prints what the clients read that can ask a server, with the token in no file", async () => {
    const { made, print, connect } = place();
    await made.run("serve", "--health");
    const token = readFileSync(join(made.home, "token"), "utf8").trim();
    const url = "http://127.0.0.1:4748/mcp";
    const told: Record<string, any> = {};
    for (const client of ["claude", "codex", "cursor", "gemini", "opencode", "vscode", "windsurf"]) {
      const printed = await print(client, "--http", "--url", url);
      expect(printed.text).not.toContain(token);
      told[client] = entryOf(printed, client);
    }
    const with_ = (reference: string) => ({ Authorization: `Bearer ${reference}` });
    expect(told).toEqual({
      claude: { type: "http", url, headers: with_("${PEGBOARD_TOKEN}") },
      codex: { url, bearer_token_env_var: "PEGBOARD_TOKEN" },
      cursor: { url, headers: with_("${env:PEGBOARD_TOKEN}") },
      gemini: { httpUrl: url, headers: with_("$PEGBOARD_TOKEN") },
      opencode: { type: "remote", url, headers: with_("{env:PEGBOARD_TOKEN}"), enabled: true },
      vscode: { type: "http", url, headers: with_("${env:PEGBOARD_TOKEN}") },
      windsurf: { serverUrl: url, headers: with_("${env:PEGBOARD_TOKEN}") },
    });
    const { code, stderr } = await connect("zed", "--http");
    expect([code, stderr]).toEqual([2, expect.stringContaining("Zed")]);
  });

  it("A4-39: a flag of HTTP without --http is a usage error that shows the right usage", async () => {
    const { connect } = place();
    const { code, stdout, stderr } = await connect("claude", "--url", "http://127.0.0.1:1/mcp");
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain("pegboard connect claude --http --url http://127.0.0.1:1/mcp");
  });

  it("writes beside what is there, and writes the same again", async () => {
    const { made, connect } = place({
      ".cursor/mcp.json": JSON.stringify({ mcpServers: { other: { command: "x" } }, more: [1] }),
    });
    for (let time = 0; time < 2; time++) expect((await connect("cursor", "--write")).code).toBe(0);
    expect(JSON.parse(made.read(".cursor/mcp.json"))).toEqual({
      mcpServers: {
        other: { command: "x" },
        pegboard: expect.objectContaining({ args: expect.any(Array) as unknown }),
      },
      more: [1],
    });
  });

  it("writes a new file where there is none, and appends to the settings of Codex once", async () => {
    const { made, connect } = place();
    expect((await connect("vscode", "--write")).code).toBe(0);
    expect(JSON.parse(made.read(".vscode/mcp.json"))).toHaveProperty("servers.pegboard.type", "stdio");
    const file = join(made.home, ".codex", "config.toml");
    writeAll(file, '# mine\nmodel = "o9"\n\n[mcp_servers.other]\ncommand = "x"');
    expect((await connect("codex", "--write")).code).toBe(0);
    const text = readFileSync(file, "utf8");
    expect(text).toMatch(/^# mine\n/);
    expect(parseToml(text)).toMatchObject({ model: "o9", mcp_servers: { other: {}, pegboard: {} } });
    expect((await connect("codex", "--write")).code).toBe(2);
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  it.for(["goose", "continue"])("writes the YAML of %s beside what is there, comments too, once", async (client) => {
    const { connect, print } = place();
    const { file } = await print(client);
    const { key } = CLIENTS[client]!;
    const servers = {
      goose: ["", "  other: { type: builtin } # stays\n", "    other:\n        type: builtin # stays\n"],
      continue: ["", "  # stays\n  - { name: other, command: x }\n", "- name: other\n  command: x # stays\n"],
    }[client]!;
    const wanted = entryOf(await print(client), client);
    for (const before of [
      undefined,
      "# mine",
      ...servers.map((text) => `# mine\nmode: auto\n${key}:\n${text}last: 1\n`),
    ]) {
      rmSync(file, { force: true });
      if (before !== undefined) writeAll(file, before);
      expect((await connect(client, "--write")).code).toBe(0);
      const text = readFileSync(file, "utf8");
      expect(entryOf({ text, format: "yaml" } as Printed, client), text).toEqual(wanted);
      const kept = text.split("\n");
      for (const line of before?.split("\n") ?? []) expect(kept).toContain(line);
      const { [key]: all, ...rest } = parseYaml(text);
      expect(rest).toMatchObject(before?.includes("last") ? { mode: "auto", last: 1 } : (CLIENTS[client]!.head ?? {}));
      expect(Object.keys(all)).toHaveLength(before?.includes("other") ? 2 : 1);
      expect((await connect(client, "--write")).code).toBe(2);
      expect(readFileSync(file, "utf8")).toBe(text);
    }
  });

  it("changes no file that it could not keep as it is", async () => {
    const { made, connect } = place({
      ".vscode/mcp.json": '{\n  // my servers\n  "servers": {}\n}\n',
      ".gemini/settings.json": "[]",
      "opencode.json": '{"mcp": "all"}',
    });
    for (const [client, file] of [
      ["vscode", ".vscode/mcp.json"],
      ["gemini", ".gemini/settings.json"],
      ["opencode", "opencode.json"],
    ] as const) {
      const before = made.read(file);
      const { code, stderr } = await connect(client, "--write");
      expect([client, code, stderr]).toEqual([client, 2, expect.stringContaining("by hand")]);
      expect(made.read(file)).toBe(before);
    }
    const goose = join(made.home, ".config", "goose", "config.yaml");
    for (const text of ["extensions: [one]\n", "extensions: { other: {} }\n"]) {
      writeAll(goose, text);
      const { code, stderr } = await connect("goose", "--write");
      expect([text, code, stderr]).toEqual([text, 2, expect.stringContaining("by hand")]);
      expect(readFileSync(goose, "utf8")).toBe(text);
    }
  });

  it("names the clients that are known", async () => {
    const { connect } = place();
    const { stdout } = await connect("--json");
    const { clients } = JSON.parse(stdout) as { clients: { name: string }[] };
    expect(clients.map(({ name }) => name)).toEqual(Object.keys(CLIENTS));
    const { code, stderr } = await connect("emacs");
    expect([code, stderr]).toEqual([2, expect.stringContaining("claude, claude-desktop, cline, codex")]);
    expect((await connect("claude", "--name", "a b")).code).toBe(2);
  });
});

function writeAll(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
