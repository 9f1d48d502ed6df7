import { readFileSync } from "node:fs";
import type { ToolContext } from "@pegboard/contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import { PegboardError } from "../../src/core/error.ts";
import { parseVfsPath, parseVfsPrefix } from "../../src/core/vfs-path.ts";
import { memoryStore } from "../../src/stores/memory.ts";
import { vfsTools } from "../../src/tools/vfs.ts";

interface PathCase {
  readonly id: string;
  readonly op: "read" | "write" | "list" | "delete";
  readonly input?: unknown;
  readonly inputGen?: { readonly pre: string; readonly rep: string; readonly n: number; readonly post: string };
  readonly expect: "ok" | "missing" | "empty" | "reject";
  readonly why: string;
  readonly key?: string;
}

const corpus = JSON.parse(readFileSync(new URL("../corpora/paths.json", import.meta.url), "utf8")) as {
  vfs: PathCase[];
};

test.each(corpus.vfs)("$id $op: $why ($expect)", async (row) => {
  const { pre = "", rep = "", n = 0, post = "" } = row.inputGen ?? {};
  const input = row.inputGen ? pre + rep.repeat(n) + post : row.input;
  const { files } = memoryStore();
  for (const path of ["notes/a.md", "notes2/b.md", "caf\u00e9.md"]) {
    await files.write({ path, text: `text of ${path}`, at: 0, call: "seed" }, 20);
  }
  const outcome = await call(vfsTools({ files }), row.op, input);

  if (row.expect === "reject") expect(outcome).toMatchObject({ code: "invalid_input" });
  if (row.expect === "missing") expect(outcome).toMatchObject({ code: "not_found" });
  if (row.expect === "empty") expect(outcome).toMatchObject({ structured: [] });
  if (row.expect !== "ok") expect(await files.list()).toEqual(["caf\u00e9.md", "notes/a.md", "notes2/b.md"]);
  else expect(outcome).not.toBeInstanceOf(Error);
  if (row.key !== undefined) expect(outcome).toMatchObject({ structured: { path: row.key } });
  if (row.expect === "ok" && row.op === "write") {
    const key = row.key ?? String(input).normalize("NFC");
    expect((await files.read(key))?.text).toBe("x");
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  }
});

async function call(tools: ReturnType<typeof vfsTools>, op: PathCase["op"], input: unknown): Promise<unknown> {
  const tool = tools.find(({ name }) => name === `vfs_${op}`)!;
  const fields = op === "list" ? { prefix: input } : op === "write" ? { path: input, content: "x" } : { path: input };
  try {
    return await tool.execute(fields, { callId: "c1" } as ToolContext);
  } catch (error) {
    return error;
  }
}

test.each([
  ["/notes/a.md", "notes/a.md"],
  ["./notes/./a.md", "notes/a.md"],
  ["a/~b", "a/~b"],
  ["console.log", "console.log"],
  ["...", "..."],
  [".env", ".env"],
  ["a..b", "a..b"],
  [`${"a".repeat(250)}/`.repeat(16) + "b".repeat(80), `${"a".repeat(250)}/`.repeat(16) + "b".repeat(80)],
])("the path %j is the key %j", (input, key) => {
  expect(parseVfsPath(input)).toBe(key);
});

test.each([
  ["a/..", "names no file"],
  ["a/b/..", "names a folder"],
  ["a\tb", "U+0009"],
  ["a\u0085b", "U+0085"],
  ["a\u200bb", "U+200B"],
  ["a\u2066b", "U+2066"],
  ["a\u2028b", "U+2028"],
  ["a\ud800", "U+D800"],
  ["a\u{e0041}", "U+E0041"],
  ["file.txt:stream", "colon"],
  ["\\\\server\\share", "backslash"],
  ["x/LPT9", "device"],
  ["COM\u00b9.txt", "device"],
  ["nul .txt", "device"],
  ["CONIN$", "device"],
  ["a /b", "ends in a dot or a blank"],
  ["a\u00a0", "ends in a dot or a blank"],
  ["a./b", "ends in a dot or a blank"],
  ["./~/x", "starts with ~"],
  ["é".repeat(128), "longer than 255 bytes"],
  [`${"é/".repeat(1366)}`, "longer than 4096 bytes"],
  ["x".repeat(50_000_000), "longer than 4096 bytes"],
  [42, "must be a string"],
  [undefined, "must be a string"],
  [{ toString: () => "a" }, "must be a string"],
])("a refused path says why", (input, reason) => {
  expect(() => parseVfsPath(input)).toThrow(
    expect.objectContaining({ code: "invalid_input", message: expect.stringContaining(reason) }),
  );
});

test("a message about a path shows nothing invisible and not much of a long path", () => {
  const messageFor = (input: string) => {
    try {
      return parseVfsPath(input);
    } catch (error) {
      return (error as Error).message;
    }
  };
  expect(messageFor("\u202egnp.exe")).toBe(
    'The path "<U+202E>gnp.exe" is refused: it holds the invisible character U+202E',
  );
  expect(messageFor("x".repeat(100_000)).length).toBeLessThan(200);
});

test.each([
  ["", ""],
  ["/", ""],
  [".", ""],
  ["a/..", ""],
  ["notes/", "notes"],
  ["/notes//x/.", "notes/x"],
])("the prefix %j is the key %j", (input, key) => {
  expect(parseVfsPrefix(input)).toBe(key);
});

test("whatever comes in, a key comes out that is its own key, or invalid_input", () => {
  const unit = fc.oneof(
    fc.constantFrom("a", "b", ".", "/", "..", "~", " ", "e\u0301", ":", "\\", "%2e", "con"),
    fc.string({ unit: "binary" }),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (parts) => {
      try {
        const key = parseVfsPath(parts.join(""));
        expect(parseVfsPath(key)).toBe(key);
        expect(key).not.toMatch(/^\/|\/$|\/\/|(^|\/)\.\.?($|\/)|\\|:/);
        expect(key).toBe(key.normalize("NFC"));
      } catch (error) {
        if (!(error instanceof PegboardError && error.code === "invalid_input")) throw error;
      }
    }),
    { numRuns: 2000 },
  );
});
