import { execFileSync } from "node:child_process";
import {
  closeSync,
  linkSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  mkdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Json, Result } from "@pegboard/contract";
import { describe, expect, onTestFinished, test } from "vitest";
import { createRuntime } from "../../src/index.ts";
import { createFilesystem } from "../../src/node/files/filesystem.ts";
import { openInside } from "../../src/node/files/read-inside.ts";

const text = ({ content }: Result) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n");

/** A folder with these files, mounted at the root, and two sessions that may do anything there. */
function arrange(files: Readonly<Record<string, string | Buffer>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "pegboard-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const runtime = createRuntime({ tools: createFilesystem({ mounts: { "/": folder } }).tools });
  const [session, other] = [runtime.open({ approve: "all" }), runtime.open({ approve: "all" })];
  return {
    folder,
    session,
    other,
    at: (name: string) => join(folder, name),
    call: (tool: string, input: Json) => session.call(tool, input),
  };
}

describe("read_file", () => {
  const lines = Array.from({ length: 10 }, (_, index) => `line ${index + 1}\n`).join("");

  test("gives the whole text, and nothing else", async () => {
    const { call } = arrange({ "a.txt": lines });
    expect(await call("read_file", { path: "a.txt" })).toMatchObject({
      content: [{ type: "text", text: lines }],
      structured: { path: "/a.txt", bytes: 71, offset: 0, lines: 10, total: 10, left: 0 },
      meta: { kind: "file_content" },
    });
    expect((await arrange({ empty: "" }).call("read_file", { path: "empty" })).content).toEqual([
      { type: "text", text: "" },
    ]);
  });

  test("gives some lines, and says how much is left and how to go on", async () => {
    const { call } = arrange({ "a.txt": lines });
    const part = await call("read_file", { path: "a.txt", offset: 2, limit: 3 });
    expect(part.content).toEqual([
      { type: "text", text: "line 3\nline 4\nline 5\n" },
      { type: "text", text: "[lines 3 to 5 of 10; 5 lines are left, go on with offset 5]" },
    ]);
    expect(part.structured).toMatchObject({ lines: 3, left: 5, next: 5 });
    expect(text(await call("read_file", { path: "a.txt", offset: 8, limit: 99 }))).toBe(
      "line 9\nline 10\n\n[lines 9 to 10, the end]",
    );
    expect((await call("read_file", { path: "a.txt", offset: 99 })).structured).toMatchObject({
      lines: 0,
      left: 0,
      total: 10,
    });
  });

  test("refuses a big file as a whole and gives it in parts, whatever its size", async () => {
    const { call, at } = arrange({ "big.txt": "first\n".repeat(1_000) });
    execFileSync("sh", ["-c", `yes "a line of a big file" | head -c 20000000 >> "${at("big.txt")}"`]);
    expect((await call("read_file", { path: "big.txt" })).error).toMatchObject({
      code: "invalid_input",
      message: expect.stringMatching(/20006000 bytes.*offset and limit/),
    });
    const part = await call("read_file", { path: "big.txt", offset: 999, limit: 2 });
    expect(text(part)).toMatch(
      /^first\na line of a big file\n\n\[lines 1000 to 1001; \d+ bytes are left, go on with offset 1001\]$/,
    );
    const most = await call("read_file", { path: "big.txt", offset: 1_000, limit: 1_000_000 });
    expect((most.structured as { lines: number }).lines).toBeGreaterThan(20_000);
    const { next } = most.structured as { next: number };
    expect(text(await call("read_file", { path: "big.txt", offset: next, limit: 1 }))).toMatch(
      /^a line of a big file\n/,
    );
  });

  test("cuts a line that is too long for any part", async () => {
    const { call, at } = arrange({ "long.txt": "x".repeat(100) });
    execFileSync("sh", ["-c", `yes xxxxxxxx | tr -d '\\n' | head -c 12000000 >> "${at("long.txt")}"`]);
    const part = await call("read_file", { path: "long.txt", limit: 1 });
    expect(part.structured).toMatchObject({ lines: 1, left: expect.any(Number) });
    expect(JSON.stringify(part.content.at(-1))).toContain("too long and is cut");
  });

  test("refuses a sparse file of 2 GiB with a harmless name at once", async () => {
    const { call, at } = arrange({ "huge.txt": "" });
    truncateSync(at("huge.txt"), 2 ** 31);
    const startedAt = performance.now();
    expect((await call("read_file", { path: "huge.txt" })).error?.code).toBe("invalid_input");
    expect((await call("read_file", { path: "huge.txt", limit: 5 })).error?.message).toContain("it is binary");
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  test("leaves out a byte order mark, and tells of it and of bytes that are not UTF-8", async () => {
    const { call } = arrange({ "mark.txt": "\ufeffA", "latin.txt": Buffer.from("caf\u00e9", "latin1") });
    expect(await call("read_file", { path: "mark.txt" })).toMatchObject({
      content: [{ text: "A" }],
      structured: { mark: true },
    });
    expect(text(await call("read_file", { path: "latin.txt" }))).toBe(
      "caf\ufffd\n[bytes that are not UTF-8 are shown as U+FFFD]",
    );
    expect((await call("edit_file", { path: "latin.txt", edits: [{ old: "c", new: "k" }] })).error?.message).toContain(
      "which an edit would destroy",
    );
  });

  test("reports hard links, and refuses folders", async () => {
    const { call, at } = arrange({ "a.txt": "A", "sub/b.txt": "" });
    linkSync(at("a.txt"), at("sub/other"));
    expect(text(await call("read_file", { path: "a.txt" }))).toContain("the file has 2 names (hard links)");
    expect((await call("read_file", { path: "sub" })).error).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("list_files"),
    });
  });

  test("does not wait for the other end of a FIFO", async () => {
    const { call, at } = arrange();
    execFileSync("mkfifo", [at("fifo")]);
    expect((await call("read_file", { path: "fifo" })).error).toMatchObject({
      code: "denied",
      message: "/fifo: it is a fifo, and only regular files are used",
    });
    expect((await call("write_file", { path: "fifo", content: "x" })).error?.code).toBe("denied");
    expect((await call("delete_file", { path: "fifo" })).error?.code).toBe("denied");
    expect((await call("file_info", { path: "fifo" })).structured).toMatchObject({ type: "fifo" });
  });
});

describe("edit_file", () => {
  test("replaces text that is there once, all edits or none", async () => {
    const { call, at } = arrange({ "a.txt": "one two three two\n" });
    const edited = await call("edit_file", {
      path: "a.txt",
      edits: [
        { old: "one", new: "1" },
        { old: "three", new: "$& $1" },
      ],
    });
    expect(edited).toMatchObject({ structured: { action: "modified", added: 1, removed: 1 }, meta: { kind: "diff" } });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("1 two $& $1 two\n");
    const refused = await call("edit_file", {
      path: "a.txt",
      edits: [
        { old: "1 two $", new: "x" },
        { old: "nosuch", new: "y" },
      ],
    });
    expect(refused.error).toMatchObject({
      code: "invalid_input",
      message: "/a.txt: edit 2: the old text is not in it; read the file again",
    });
    expect(readFileSync(at("a.txt"), "utf8")).toBe("1 two $& $1 two\n");
  });

  test("refuses text that is there more than once, unless all of it is meant", async () => {
    const { call, at } = arrange({ "a.txt": "x x x" });
    expect((await call("edit_file", { path: "a.txt", edits: [{ old: "x", new: "y" }] })).error?.message).toContain(
      "is in it 3 times",
    );
    expect((await call("edit_file", { path: "a.txt", edits: [{ old: "x", new: "y", all: true }] })).ok).toBe(true);
    expect(readFileSync(at("a.txt"), "utf8")).toBe("y y y");
  });

  test("keeps a byte order mark and line ends, and hints at them", async () => {
    const { call, at } = arrange({ "a.txt": "\ufeffone\r\ntwo\r\n" });
    expect(
      (await call("edit_file", { path: "a.txt", edits: [{ old: "one\ntwo", new: "x" }] })).error?.message,
    ).toContain("its lines end in \\r\\n");
    expect((await call("edit_file", { path: "a.txt", edits: [{ old: "two", new: "2" }] })).ok).toBe(true);
    expect(readFileSync(at("a.txt"), "utf8")).toBe("\ufeffone\r\n2\r\n");
  });

  test("refuses a file that changed since this session last saw it, until it is read again", async () => {
    const { call, other, at } = arrange({ "a.txt": "one" });
    await call("read_file", { path: "a.txt" });
    await other.call("write_file", { path: "a.txt", content: "one more" });
    for (const [tool, more] of [
      ["edit_file", { edits: [{ old: "one", new: "1" }] }],
      ["write_file", { content: "mine" }],
    ] as const) {
      expect((await call(tool, { path: "a.txt", ...more })).error).toMatchObject({
        code: "tool_error",
        message: expect.stringContaining("read it again first"),
      });
    }
    expect((await other.call("edit_file", { path: "a.txt", edits: [{ old: "more", new: "less" }] })).ok).toBe(true);
    await call("read_file", { path: "a.txt", limit: 1 });
    expect((await call("edit_file", { path: "a.txt", edits: [{ old: "one", new: "1" }] })).ok).toBe(true);
    expect(readFileSync(at("a.txt"), "utf8")).toBe("1 less");
  });

  test("of one file by many at once are done one after the other: none is lost", async () => {
    const numbers = Array.from({ length: 50 }, (_, index) => `<${index}>`);
    const { call, at } = arrange({ "a.txt": numbers.join("\n") });
    symlinkSync("a.txt", at("link"));
    const results = await Promise.all(
      numbers.map((old, index) =>
        call("edit_file", { path: index % 2 ? "link" : "a.txt", edits: [{ old, new: `[${index}]` }] }),
      ),
    );
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(readFileSync(at("a.txt"), "utf8")).toBe(numbers.map((_, index) => `[${index}]`).join("\n"));
  });

  test("needs a file", async () => {
    expect((await arrange().call("edit_file", { path: "a.txt", edits: [{ old: "a", new: "b" }] })).error?.code).toBe(
      "not_found",
    );
    expect((await arrange().call("edit_file", { path: "a.txt", edits: [{ old: "", new: "b" }] })).error?.code).toBe(
      "invalid_input",
    );
  });
});

describe("the tools that look around", () => {
  const files = {
    "a.md": "alpha\nbeta\nGamma",
    "src/b.ts": "const beta = 1;\n",
    "src/deep/c.ts": "beta\n",
    "node_modules/x/d.ts": "beta",
    ".git/e": "beta",
  };

  test("list a folder, and with depth those below", async () => {
    const { call, at } = arrange(files);
    symlinkSync("/etc", at("out"));
    expect(text(await call("list_files", {}))).toBe("/.git/\n/a.md\n/node_modules/\n/out (link)\n/src/");
    expect(text(await call("list_files", { path: "src", depth: 2 }))).toBe("/src/b.ts\n/src/deep/\n/src/deep/c.ts");
    expect((await call("list_files", { path: "a.md" })).error?.code).toBe("invalid_input");
  });

  test("find files by a pattern, and leave out what nobody looks for", async () => {
    const { call } = arrange(files);
    const found = async (input: Json) => text(await call("glob", input)).split("\n");
    expect(await found({ pattern: "**/*.ts" })).toEqual(["/src/b.ts", "/src/deep/c.ts"]);
    expect(await found({ pattern: "*.ts", path: "src" })).toEqual(["/src/b.ts"]);
    expect(await found({ pattern: "**/*.ts", everything: true })).toContain("/node_modules/x/d.ts");
    expect(await found({ pattern: "*.py" })).toEqual(["[nothing found]"]);
  });

  test("find text, with lines around it", async () => {
    const { call } = arrange(files);
    expect(text(await call("search_files", { pattern: "beta" }))).toBe(
      "/a.md:2: beta\n/src/b.ts:1: const beta = 1;\n/src/deep/c.ts:1: beta\n[3 matches in 3 files]",
    );
    expect(text(await call("search_files", { pattern: "beta", path: "a.md", context: 1 }))).toBe(
      "/a.md-1- alpha\n/a.md:2: beta\n/a.md-3- Gamma\n[1 match in 1 files]",
    );
    expect((await call("search_files", { pattern: "gamma", ignoreCase: true })).structured).toMatchObject({
      matches: [{ path: "/a.md", line: 3, text: "Gamma" }],
    });
    expect(
      (await call("search_files", { pattern: "c*t*=", wildcard: true, glob: "**/*.ts" })).structured,
    ).toMatchObject({ matches: [{ path: "/src/b.ts" }], files: 2 });
    expect((await call("search_files", { pattern: "beta", limit: 1 })).structured).toMatchObject({
      matches: [{ line: 2 }],
      complete: false,
    });
    expect((await call("search_files", { pattern: "b.ta" })).structured).toMatchObject({ matches: [], complete: true });
  });

  test("stop when the call is cancelled", async () => {
    const { session } = arrange(files);
    const result = session.call("search_files", { pattern: "x" }, { id: "search" });
    session.cancel("search");
    expect((await result).error?.code).toBe("cancelled");
  });

  test("tell whether something is there, and what it is", async () => {
    const { call } = arrange(files);
    expect((await call("file_exists", { path: "a.md" })).structured).toEqual({
      path: "/a.md",
      exists: true,
      type: "file",
    });
    expect((await call("file_exists", { path: "src/" })).structured).toMatchObject({ exists: true, type: "folder" });
    expect((await call("file_exists", { path: "src/x/y" })).structured).toEqual({ path: "/src/x/y", exists: false });
    expect((await call("file_info", { path: "a.md" })).structured).toMatchObject({
      type: "file",
      size: 16,
      mode: expect.stringMatching(/^0[0-7]{3}$/),
      links: 1,
      readonly: false,
      modified: expect.stringMatching(/^\d{4}-/),
    });
    expect((await call("file_info", { path: "nosuch" })).error?.code).toBe("not_found");
  });
});

describe("openInside", () => {
  test("opens a regular file of a folder, also through a link that stays there, and nothing else", async () => {
    const { folder, at } = arrange({ "root/a.txt": "A", "root/sub/b.txt": "B", "secret.txt": "S" });
    symlinkSync("a.txt", at("root/in"));
    symlinkSync("../secret.txt", at("root/out"));
    execFileSync("mkfifo", [at("root/fifo")]);
    for (const path of ["a.txt", "./sub/../a.txt", "in"]) {
      const fd = await openInside(join(folder, "root"), path);
      expect(readFileSync(fd, "utf8")).toBe("A");
      closeSync(fd);
    }
    for (const path of ["out", "../secret.txt", "fifo"])
      await expect(openInside(join(folder, "root"), path)).rejects.toMatchObject({ code: "denied" });
    await expect(openInside(join(folder, "root"), "sub")).rejects.toMatchObject({ code: "invalid_input" });
    await expect(openInside(join(folder, "root"), "nosuch")).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("delete_file", () => {
  test("deletes a file, a link and no folder", async () => {
    const { call, at } = arrange({ "a.txt": "A", "sub/b.txt": "B" });
    symlinkSync("/etc/passwd", at("link"));
    expect(text(await call("delete_file", { path: "a.txt" }))).toBe("Deleted /a.txt");
    expect((await call("delete_file", { path: "link" })).ok).toBe(true);
    expect((await call("delete_file", { path: "sub" })).error).toMatchObject({
      code: "invalid_input",
      message: expect.stringContaining("only files are deleted"),
    });
    expect((await call("delete_file", { path: "a.txt" })).error?.code).toBe("not_found");
    expect((await call("delete_file", { path: "/" })).error?.code).toBe("invalid_input");
    expect(text(await call("list_files", { depth: 2 }))).toBe("/sub/\n/sub/b.txt");
  });
});
