import { describe, expect, test } from "vitest";
import { parseServers } from "../../src/sources/mcp/config.ts";
import { expandServer, missingVariables } from "../../src/sources/mcp/expand.ts";
import { toSourceName, toToolName } from "../../src/sources/mcp/names.ts";

const PROGRAM = { command: "npx", args: ["-y", "a-server"] };

describe("a list of MCP servers", () => {
  test.each([
    ["mcpServers", { mcpServers: { a: PROGRAM } }],
    ["servers, as VS Code writes it", { inputs: [], servers: { a: { type: "stdio", ...PROGRAM } } }],
    ["nothing around it", { a: PROGRAM }],
    ["a schema beside it", { $schema: "https://example.com/x.json", a: PROGRAM }],
    ["mcp_servers, as Codex writes it", { mcp_servers: { a: PROGRAM } }],
    ["context_servers, as Zed writes it", { context_servers: { a: PROGRAM } }],
    ["one list of words, as opencode writes it", { mcp: { a: { type: "local", command: ["npx", "-y", "a-server"] } } }],
    ["a list of entries with names, as ACP writes it", [{ name: "a", ...PROGRAM, env: [] }]],
  ])("is read with %s", (_, value) => {
    expect(parseServers(value)).toMatchObject({ servers: [{ name: "a", server: PROGRAM }], problems: [] });
  });

  test.each([
    [{ url: "https://x.test/mcp" }, { url: "https://x.test/mcp" }],
    [
      { type: "streamable-http", url: "https://x.test/mcp" },
      { type: "http", url: "https://x.test/mcp" },
    ],
    [{ httpUrl: "https://x.test/mcp" }, { type: "http", url: "https://x.test/mcp" }],
    [
      { type: "sse", url: "https://x.test/sse" },
      { type: "sse", url: "https://x.test/sse" },
    ],
    [
      { type: "remote", url: "https://x.test", headers: { A: "b" } },
      { url: "https://x.test", headers: { A: "b" } },
    ],
    [{ serverUrl: "https://x.test/${ID}" }, { url: "https://x.test/${ID}" }],
    [
      { type: "remote", url: "https://x.test", headers: { A: "Bearer {env:KEY}, ${env:KEY}" } },
      { url: "https://x.test", headers: { A: "Bearer ${KEY}, ${env:KEY}" } },
    ],
    [
      { command: "x", environment: { A: 1 }, cwd: "/tmp" },
      { command: "x", env: { A: "1" }, cwd: "/tmp" },
    ],
    [
      { command: "x", env: [{ name: "A", value: "b" }] },
      { command: "x", env: { A: "b" } },
    ],
    [{ command: "/opt/my tools/server" }, { command: "/opt/my tools/server" }],
    [
      { command: "x", includeTools: ["read_*"], excludeTools: ["read_mail"] },
      { command: "x", tools: ["read_*", "!read_mail"] },
    ],
    [
      { url: "https://x.test", disabled_tools: ["drop"] },
      { url: "https://x.test", tools: ["!drop"] },
    ],
    [
      { command: "x", enabled_tools: [] },
      { command: "x", tools: [] },
    ],
    [
      { command: "x", tools: ["*"] },
      { command: "x", tools: ["*"] },
    ],
  ])("takes %j for %j", (entry, server) => {
    expect(parseServers({ mcpServers: { a: entry } }).servers).toEqual([{ name: "a", server }]);
  });

  test.each([
    ["PM050: a command line in the place of a program", { command: "npx evil && curl x" }, "one program"],
    ["PM050: a program with its arguments", { command: "npx evil" }, "as args"],
    ["a substitution of a shell", { command: "$(id)" }, "one program"],
    ["neither program nor address", { args: [] }, "neither command nor url"],
    ["both", { command: "x", url: "https://x.test" }, "both command and url"],
    ["another kind of address", { url: "file:///etc/passwd" }, "https:// or http://"],
    ["a password in the address", { url: "https://me:secret@x.test" }, "name and password"],
    ["a header twice", { url: "https://x.test", headers: { a: "1", A: "2" } }, "more than once"],
    ["a choice of tools that cannot be read", { command: "x", excludeTools: "drop" }, "list of names of tools"],
    ["a choice of tools that is none", { command: "x", tools: [{ name: "drop" }] }, "list of names of tools"],
    ["a type that nobody knows", { type: "carrier-pigeon", command: "x" }, "not one of"],
    ["a type that is no text", { type: { toString: 0 }, command: "x" }, "not one of"],
    ["arguments that are no list", { command: "x", args: "y" }, "args must be"],
    ["the text of a file", { command: "x", env: { KEY: "{file:~/.key}" } }, "secret://name"],
    ["something else", "x", "must be a mapping"],
  ])("leaves out %s, and nothing else", (_, entry, why) => {
    const { servers, problems } = parseServers({ mcpServers: { bad: entry, good: PROGRAM } });
    expect(servers.map(({ name }) => name)).toEqual(["good"]);
    expect(problems).toEqual([{ server: "bad", message: expect.stringContaining(why) as string }]);
  });

  test("is not found in a file about something else", () => {
    expect(parseServers({ name: "a package", version: "1.0.0" }).problems[0]!.message).toContain("no MCP servers");
    expect(parseServers("text").problems).toHaveLength(1);
  });

  test("never widens anything: what others allow without asking is told, and not taken over", () => {
    const { servers, notes } = parseServers({
      mcpServers: { a: { ...PROGRAM, autoApprove: ["*"], trust: true, x: 1 } },
    });
    expect(servers).toEqual([{ name: "a", server: PROGRAM }]);
    expect(notes.map(({ field, became }) => [field, became])).toEqual([
      ["autoApprove", "unsafe"],
      ["trust", "unsafe"],
      ["x", "ignored"],
    ]);
  });

  test("says which servers are switched off", () => {
    const { servers } = parseServers({ a: { ...PROGRAM, disabled: true }, b: { ...PROGRAM, enabled: false } });
    expect(servers.map(({ disabled }) => disabled)).toEqual([true, true]);
  });
});

describe("variables of a server", () => {
  const server = { command: "x", args: ["${A}", "${B:-b}", "${env:A}"], env: { K: "${A}-${C:-}" } };

  test("are filled in once, with their defaults", () => {
    const values: Record<string, string> = { A: "${B}" };
    expect(expandServer("s", server, (name) => values[name])).toEqual({
      command: "x",
      args: ["${B}", "b", "${B}"],
      env: { K: "${B}-" },
    });
  });

  test("that are not set are named", () => {
    expect(missingVariables(server, () => undefined)).toEqual(["A"]);
    expect(() => expandServer("s", server, () => undefined)).toThrow(
      'MCP server "s": the environment variable A is not set',
    );
  });

  test("cannot make a shell's work of a program, nor another kind of address of a url", () => {
    expect(() => expandServer("s", { command: "${A}" }, () => "sh -c id; x")).toThrow("one program");
    expect(() => expandServer("s", { url: "${A}" }, () => "file:///etc/passwd")).toThrow("https:// or http://");
  });
});

describe("the names of servers and tools", () => {
  test("stay as they are where they can", () => {
    expect(toSourceName("github")).toBe("github");
    expect(toToolName("create-issue_2", "github")).toBe("create-issue_2");
    expect(toSourceName("github", "github")).toBe("github");
    expect(toSourceName("db", "acme")).toBe("acme-db");
  });

  test.each(["a.b", "a__b", "1st", "größe", "工具", "", "x".repeat(200), "__", "-"])(
    "are made usable, and the same every time: %j",
    (name) => {
      const source = toSourceName("x".repeat(60));
      const full = `${source}__${toToolName(name, source)}`;
      expect(full).toMatch(/^[A-Za-z][A-Za-z0-9_-]*$/);
      expect(full.length).toBeLessThanOrEqual(64);
      expect(full.split("__")).toHaveLength(2);
      expect(toToolName(name, source)).toBe(toToolName(name, source));
    },
  );

  test("tell apart what looks the same afterwards", () => {
    const names = ["a.b", "a/b", "a b", "a__b", `${"x".repeat(100)}1`, `${"x".repeat(100)}2`];
    expect(new Set(names.map((name) => toToolName(name, "s"))).size).toBe(names.length);
  });
});
