import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Json } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import { PegboardError } from "../../../src/index.ts";
import corpus from "../../corpora/manifests.json" with { type: "json" };
import { makeFolder } from "../workspace-folder.ts";
import { agentFile } from "./manifest-files.ts";

interface Case {
  readonly id: string;
  readonly name: string;
  readonly json?: Json;
  readonly text?: string;
  readonly expect: string;
  readonly alsoOk?: readonly string[];
}

const CASES = corpus.cases as readonly Case[];

/** What archives hold is the matter of whoever unpacks them, what MCP servers are of those who start them. */
const ELSEWHERE = ["PM041", "PM042", "PM050", "PM051"];
const TWO = ["PM024", "PM034"];
const YAML = ["PM046", "PM048", "PM049", "PM052"];

const FILES = { "a.md": agentFile("a"), "spoof.md": agentFile("a", "_pluginName: other\n"), "t.js": "" };

function makePlugin(manifest: string) {
  const folder = makeFolder({ "plugins/p/plugin.json": manifest });
  for (const [name, text] of Object.entries(FILES)) folder.write(`plugins/p/${name}`, text);
  symlinkSync("/etc/passwd", join(folder.path, "plugins/p/link.md"));
  execFileSync("mkfifo", [join(folder.path, "plugins/p/fifo")]);
  return folder;
}

describe("the corpus of manifests", () => {
  const single = CASES.filter(({ id }) => ![...ELSEWHERE, ...TWO, ...YAML].includes(id));

  test.each(single.map((one) => [one.id, one.name, one] as const))("%s, %s", async (_, __, one) => {
    const workspace = await makePlugin(one.text ?? JSON.stringify(one.json)).open();
    const found = [...workspace.diagnostics, ...workspace.plugins.list().flatMap(({ diagnostics }) => diagnostics)];
    const severities = found.map(({ severity }) => severity);
    const outcome = severities.includes("error") ? "error" : severities.includes("warning") ? "warn" : "ok";
    // A manifest of nothing is told, whatever else the case is about.
    const nothing = found.every(({ code }) => code === "empty_plugin");
    expect([one.expect, ...(one.alsoOk ?? [])], JSON.stringify(found)).toContain(
      nothing && outcome === "warn" ? "ok" : outcome,
    );
    for (const { file } of found) expect(file).toContain(join(workspace.folder, "plugins/p"));
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test("PM022, PM024: an agent of the person does not stand in for one that the plugin does not have", async () => {
    const { json } = CASES.find(({ id }) => id === "PM024")!;
    const [manifest] = (json as { two: [Json, Json] }).two;
    const folder = makeFolder({ "plugins/p/plugin.json": JSON.stringify(manifest), "agents/db.md": agentFile("db") });
    const workspace = await folder.open();
    expect(workspace.diagnostics).toMatchObject([
      { severity: "error", code: "unknown_agent", message: expect.stringContaining('no agent "db"') },
    ]);
    expect(workspace.tools.get("p__t")).toBeUndefined();
  });

  test("PM034: agents whose names run together are told apart", async () => {
    const { json } = CASES.find(({ id }) => id === "PM034")!;
    const [one, other] = (json as { two: [Json, Json] }).two;
    const folder = makeFolder({
      "plugins/1/plugin.json": JSON.stringify(one),
      "plugins/2/plugin.json": JSON.stringify(other),
    });
    for (const place of ["1", "2"]) folder.write(`plugins/${place}/a.md`, agentFile("a"));
    const workspace = await folder.open();
    expect((await workspace.agents.list()).map(({ name }) => name)).toEqual(["a-b/c", "a/b-c", "assistant"]);
  });

  test.each(YAML)("%s: a workspace's own file is refused", async (id) => {
    const { json } = CASES.find((one) => one.id === id)!;
    const { yaml, content } = json as { yaml?: string; content?: Json };
    const text = yaml === undefined ? JSON.stringify(content) : `version: 1\n${yaml}`;
    const folder = makeFolder({ "pegboard.yaml": text });
    const opened = await folder.open({ trust: false }).catch((error: unknown) => error as PegboardError);
    if (opened instanceof PegboardError) expect(opened.code).toBe("invalid_config");
    else {
      expect(opened.diagnostics).toContainEqual(expect.objectContaining({ severity: "error" }));
      expect(opened.tools.get("x")).toBeUndefined();
      expect(opened.trust.trusted).toBe(false);
    }
  });

  test("every case is looked at here or by whoever it concerns", () => {
    const ids = CASES.map(({ id }) => id);
    expect([...ELSEWHERE, ...TWO, ...YAML].filter((id) => !ids.includes(id))).toEqual([]);
    expect(single.length).toBeGreaterThan(15);
  });
});
