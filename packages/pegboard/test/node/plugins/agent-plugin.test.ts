import { existsSync } from "node:fs";
import { join } from "node:path";
import type { McpServer, PluginHost } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import { readRootManifest } from "../../../src/node/plugins/root-manifest.ts";
import { mapTexts } from "../../../src/core/map-texts.ts";
import conformance from "./agent-plugin-cases.json" with { type: "json" };
import { makePlugin } from "./plugin-files.ts";

interface Case {
  readonly name: string;
  readonly spec: readonly string[];
  readonly files: Parameters<typeof makePlugin>[0];
  readonly expect: {
    readonly loaded?: boolean;
    readonly plugin?: string;
    readonly version?: string;
    readonly skills?: readonly string[];
    readonly servers?: Readonly<Record<string, McpServer>>;
    readonly errors?: number;
    readonly warnings?: number;
  };
}

async function read(files: Case["files"]) {
  const { folder, deps } = makePlugin(files);
  const read = await readRootManifest(folder, deps);
  return { ...read, root: folder.root, dataOf: (name: string) => join(deps.environments, "..", "plugin-data", name) };
}

describe("Agent Plugins 1.0.0", () => {
  test.each(
    (conformance.cases as unknown as readonly Case[]).map((one) => [one.name, one.spec.join(", "), one] as const),
  )("%s (%s)", async (_, __, { files, expect: want }) => {
    const { loaded, diagnostics, root, dataOf, ...read_ } = await read(files);
    const count = (severity: string) => diagnostics.filter((one) => one.severity === severity).length;
    if (want.loaded === false) {
      expect(loaded).toBeUndefined();
      expect(count("error")).toBeGreaterThan(0);
      return;
    }
    expect(read_.origin.format).toBe("agent-plugin");
    const { name, version, skills = [], mcpServers } = loaded!.plugin;
    const fill = (text: string) => text.replaceAll("<root>", root).replaceAll("<data>", dataOf(name));
    if (want.plugin !== undefined) expect(name).toBe(want.plugin);
    if (want.version !== undefined) expect(version).toBe(want.version);
    if (want.skills) expect(skills.map((one) => one.name)).toEqual(want.skills);
    if (want.servers) expect(mcpServers).toEqual(mapTexts(want.servers, fill, (key) => key));
    if (want.errors !== undefined) expect([count("error"), diagnostics]).toEqual([want.errors, diagnostics]);
    if (want.warnings !== undefined) expect(count("warning")).toBe(want.warnings);
  });
});

const SCHEMA = "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json";
const SERVERS = JSON.stringify({
  $schema: SCHEMA.replace("plugin.schema", "mcp.schema"),
  mcpServers: { it: { type: "stdio", command: "probe" } },
});

test("the folder for what a plugin keeps is made when it registers, and not before", async () => {
  const { loaded, dataOf } = await read({
    "plugin.json": JSON.stringify({ $schema: SCHEMA, name: "acme" }),
    "mcp.json": SERVERS,
  });
  expect(existsSync(dataOf("acme"))).toBe(false);
  await loaded!.plugin.register!({} as PluginHost);
  expect(existsSync(dataOf("acme"))).toBe(true);
});

test("our own fields below extensions bring tools and agents to the same folder", async () => {
  const { loaded, diagnostics } = await read({
    "plugin.json": JSON.stringify({
      $schema: SCHEMA,
      name: "acme",
      version: "1.0.0",
      extensions: {
        pegboard: {
          tools: [{ name: "count", description: "Counts", command: "python3", args: ["count.py"] }],
          agents: [{ name: "counter", description: "Counts", system_prompt_file: "counter.md" }],
        },
      },
    }),
    "counter.md": "Count.",
    "count.py": "",
    "skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\n\nDo it.\n",
    "mcp.json": SERVERS,
  });
  expect(diagnostics).toEqual([]);
  expect(loaded!.origin.format).toBe("agent-plugin");
  expect(loaded!.plugin).toMatchObject({
    name: "acme",
    tools: [{ name: "count" }],
    agents: [{ name: "counter" }],
    skills: [{ name: "a" }],
    mcpServers: { it: { command: "probe" } },
  });
});

test("fields of ours that are wrong cost only what they would bring", async () => {
  const { loaded, diagnostics, reports } = await read({
    "plugin.json": JSON.stringify({
      $schema: SCHEMA,
      name: "acme",
      extensions: { pegboard: { tools: [{ name: "x" }] } },
    }),
    "skills/a/SKILL.md": "---\nname: a\ndescription: d\n---\n\nDo it.\n",
  });
  expect(loaded!.plugin).toMatchObject({ skills: [{ name: "a" }] });
  expect(loaded!.plugin.tools).toBeUndefined();
  expect(diagnostics.every(({ severity }) => severity === "error")).toBe(true);
  expect(diagnostics.length).toBeGreaterThan(0);
  expect(reports[0]!.diagnostics).toHaveLength(diagnostics.length);
  expect(reports[0]!.fields).toContainEqual({ field: "extensions.pegboard", became: "ignored", note: "it has errors" });
});

test("a plugin.json without that schema is one of ours", async () => {
  const { origin } = await read({ "plugin.json": JSON.stringify({ name: "acme", version: "1.0.0" }) });
  expect(origin.format).toBe("pegboard");
});
