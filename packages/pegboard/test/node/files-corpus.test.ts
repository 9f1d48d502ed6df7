import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Json, Result, ToolContext } from "@pegboard/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toFailure } from "../../src/core/error.ts";
import type { Session } from "../../src/index.ts";
import { createRuntime } from "../../src/index.ts";
import type { FileAccess } from "../../src/node/files/access.ts";
import { deleteFileTool } from "../../src/node/files/file-facts.ts";
import { listFilesTool } from "../../src/node/files/list-files.ts";
import { toProtection } from "../../src/node/files/protected.ts";
import { readFileTool } from "../../src/node/files/read-file.ts";
import { toRoot } from "../../src/node/files/root.ts";
import { Seen } from "../../src/node/files/seen.ts";
import { writeFileTool } from "../../src/node/files/write-file.ts";
import { createFilesystem } from "../../src/node/files/filesystem.ts";
import { buildFixtures, type Fixture, type Fixtures } from "./rooted-fixtures.ts";

interface RootedCase {
  readonly id: string;
  readonly op: "read" | "write" | "list" | "tree" | "move";
  readonly path?: string;
  readonly pathGen?: { readonly pre: string; readonly rep: string; readonly n: number; readonly post: string };
  readonly to?: string;
  readonly expect: "allow" | "deny";
  readonly alsoOk?: readonly string[];
  readonly why: string;
  readonly limitMs?: number;
  readonly rssMiB?: number;
  readonly mustNotContain?: readonly string[];
}

type Call = (tool: string, input: Json) => Promise<Pick<Result, "ok" | "content" | "error">>;

const corpus = JSON.parse(readFileSync(new URL("../corpora/paths.json", import.meta.url), "utf8")) as {
  fixtures: Fixture[];
  rooted: RootedCase[];
};

let fixtures: Fixtures;
let session: Session;

beforeAll(async () => {
  fixtures = await buildFixtures(corpus.fixtures);
  const root = join(fixtures.base, "root");
  session = createRuntime({ tools: createFilesystem({ mounts: { [root]: root } }).tools }).open({ approve: "all" });
}, 60_000);

afterAll(() => fixtures[Symbol.asyncDispose]());

describe.runIf(process.platform === "linux")("a rooted folder, checked by descriptor", () => {
  test.each(corpus.rooted)("$id $op: $why ($expect)", async (row) => {
    expect(await judge(row, (tool, input) => session.call(tool, input))).toEqual([]);
  });

  test("reads a hard link and says that it is one", async () => {
    const { structured } = await session.call("read_file", { path: join(fixtures.base, "root/h-file") });
    expect(structured).toMatchObject({ links: 2 });
  });

  test("lists the first of many entries and says that there are more", async () => {
    const { structured, content } = await session.call("list_files", { path: join(fixtures.base, "root/many") });
    expect(structured).toMatchObject({ complete: false });
    expect((structured as { entries: unknown[] }).entries).toHaveLength(10_000);
    expect(JSON.stringify(content.at(-1))).toContain("not everything is shown");
  });
});

describe("a rooted folder on a system that does not tell where descriptors lead", () => {
  test.each(corpus.rooted)("$id $op: $why ($expect)", async (row) => {
    expect(await judge(row, callByPath)).toEqual([]);
  });
});

/** Everything that is wrong with how a case turned out. */
async function judge(row: RootedCase, call: Call): Promise<string[]> {
  const { pre = "", rep = "", n = 0, post = "" } = row.pathGen ?? {};
  const inBase = (text: string) => text.replaceAll("{{BASE}}", fixtures.base);
  const path = inBase(row.pathGen ? pre + rep.repeat(n) + post : row.path!);
  const outside = snapshot();
  const [startedAt, rss] = [performance.now(), process.memoryUsage().rss];

  const result = await perform(row, path, inBase(row.to ?? ""), call);

  const took = performance.now() - startedAt;
  const grown = (process.memoryUsage().rss - rss) / 2 ** 20;
  const said = JSON.stringify(result);
  const outcome = result.ok ? "allow" : "deny";
  const mayTell = outcome === "allow" && row.expect === "deny";
  return [
    ...([row.expect, ...(row.alsoOk ?? [])].includes(outcome) ? [] : [`${outcome}: ${said.slice(0, 500)}`]),
    ...(result.ok || ["denied", "blocked", "invalid_input"].includes(result.error!.code)
      ? []
      : [`code ${result.error!.code}: ${result.error!.message}`]),
    ...(took < (row.limitMs ?? 2_000) ? [] : [`took ${took} ms`]),
    ...(grown < (row.rssMiB ?? Infinity) ? [] : [`took ${grown} MiB`]),
    ...[...(mayTell ? [] : ["SECRET"]), ...(row.mustNotContain ?? [])].filter((text) => said.includes(text)),
    ...(said.length < 4 * 2 ** 20 ? [] : ["the result is huge"]),
    ...(snapshot().join() === outside.join() ? [] : ["something outside has changed"]),
  ];
}

/** There is no tool that moves: a move is a read, a write and a removal. */
async function perform({ op }: RootedCase, path: string, to: string, call: Call): Promise<Awaited<ReturnType<Call>>> {
  if (op === "read") return call("read_file", { path });
  if (op === "write") return call("write_file", { path, content: "WRITTEN" });
  if (op === "list") return call("list_files", { path });
  if (op === "tree") return call("list_files", { path, depth: 64 });
  const read = await call("read_file", { path });
  const written = read.ok ? await call("write_file", { path: to, content: "MOVED" }) : read;
  return written.ok ? call("delete_file", { path }) : written;
}

const callByPath: Call = async (name, input) => {
  const root = join(fixtures.base, "root");
  const mount = {
    at: root.split("/").filter(Boolean),
    root: toRoot(root, false),
    readonly: false,
    whole: toRoot(root, false),
    locked: [],
  };
  const access: FileAccess = { mounts: () => [mount], isProtected: toProtection(), seen: new Seen() };
  const tool = [readFileTool, writeFileTool, listFilesTool, deleteFileTool]
    .map((make) => make(access))
    .find((one) => one.name === name)!;
  try {
    const value = await tool.execute({ depth: 1, ...Object(input) }, {
      session: { id: "s" },
      signal: new AbortController().signal,
    } as unknown as ToolContext);
    return { ok: true, content: [], ...Object(value) } as Result;
  } catch (error) {
    return { ok: false, content: [], error: toFailure(error) };
  }
};

/** What lies outside of the root, by name and text. */
function snapshot(): readonly string[] {
  return ["outside", "root-evil"].flatMap((folder) => {
    const path = join(fixtures.base, folder);
    return existsSync(path)
      ? readdirSync(path).map((name) => `${folder}/${name} ${readFileSync(join(path, name), "utf8")}`)
      : [];
  });
}
