import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Json, Result } from "@pegboard/contract";
import { describe, expect, test } from "vitest";
import type { ApprovalRequest, Session } from "../../src/index.ts";
import { type Folder, makeFolder } from "./workspace-folder.ts";

const text = ({ content }: Result) => content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
const config = (mounts: string, more = "") => `version: 1\ntoolsets:\n  filesystem: { mounts: ${mounts}${more} }\n`;

/** What each tool takes besides a path. */
const INPUTS: Record<string, Record<string, Json>> = {
  delete_file: {},
  edit_file: { edits: [{ old: "B", new: "X" }] },
  file_exists: {},
  file_info: {},
  glob: { pattern: "*" },
  list_files: {},
  read_file: {},
  search_files: { pattern: "B" },
  write_file: { content: "X" },
};
const CHANGING = ["delete_file", "edit_file", "write_file"];

/** A session in a workspace with these files, in which everything that asks is allowed. */
async function open(
  files: Readonly<Record<string, string>> = {},
  yaml = config("{ /: . }"),
): Promise<{ folder: Folder; session: Session }> {
  const folder = makeFolder({ ...files, "pegboard.yaml": yaml });
  const workspace = await folder.open();
  expect(workspace.diagnostics).toEqual([]);
  return { folder, session: workspace.open({ approve: "all" }) };
}

describe("A1-25 file tools", () => {
  test("refuse a path, a .. and a link that leave the mounts", async () => {
    const { folder, session } = await open(
      { "inside/a.txt": "A", "b.txt": "B", "inside/sub/c.txt": "C" },
      config("{ /docs: ./inside }"),
    );
    symlinkSync(join(folder.path, "b.txt"), join(folder.path, "inside/link"));
    symlinkSync(folder.path, join(folder.path, "inside/up"));
    for (const path of [
      "/b.txt",
      "/docs/../b.txt",
      "/docs/../../etc/passwd",
      "/etc/passwd",
      "/docs/link",
      "/docs/up/b.txt",
      "/docsx/a.txt",
    ]) {
      for (const [tool, input] of Object.entries(INPUTS).filter(([name]) => name !== "delete_file")) {
        const result = await session.call(tool, { path, ...input });
        expect([path, tool, result.error?.code]).toEqual([path, tool, expect.stringMatching(/^(denied|blocked)$/)]);
        expect(text(result)).not.toBe("B");
      }
    }
    expect((await session.call("read_file", { path: "/b.txt" })).error?.message).toBe(
      "/b.txt: it is outside of what is mounted: /docs",
    );
    expect((await session.call("delete_file", { path: "/docs/up/b.txt" })).error?.code).toBe("denied");
    expect(readFileSync(join(folder.path, "b.txt"), "utf8")).toBe("B");
    expect(text(await session.call("read_file", { path: "/docs/sub/../a.txt" }))).toBe("A");
  });

  test("tell nothing about what is outside, not even whether it is there", async () => {
    const { folder, session } = await open({ "inside/a.txt": "A", "b.txt": "B" }, config("{ /: ./inside }"));
    symlinkSync("..", join(folder.path, "inside/up"));
    symlinkSync("../b.txt", join(folder.path, "inside/there"));
    symlinkSync("../nosuch", join(folder.path, "inside/not-there"));
    const errors = await Promise.all(
      ["/up/b.txt", "/up/nosuch", "/there", "/not-there"].map(
        async (path) => (await session.call("file_exists", { path })).error,
      ),
    );
    expect(errors.map((error) => error?.message.replace(/^\S+/, ""))).toEqual(
      Array.from({ length: 4 }, () => errors[0]!.message.replace(/^\S+/, "")),
    );
  });

  test("follow a link that stays inside, for reading and for writing", async () => {
    const { folder, session } = await open({ "sub/a.txt": "A" });
    symlinkSync("sub", join(folder.path, "link"));
    symlinkSync("sub/a.txt", join(folder.path, "file-link"));
    expect(text(await session.call("read_file", { path: "/link/a.txt" }))).toBe("A");
    expect((await session.call("write_file", { path: "/file-link", content: "B" })).ok).toBe(true);
    expect(lstatSync(join(folder.path, "file-link")).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder.path, "sub/a.txt"), "utf8")).toBe("B");
    expect((await session.call("delete_file", { path: "/file-link" })).ok).toBe(true);
    expect(existsSync(join(folder.path, "sub/a.txt"))).toBe(true);
  });

  test("refuse to write and delete in a read-only mount, without asking anybody", async () => {
    const folder = makeFolder({
      "docs/a.txt": "A",
      "pegboard.yaml": config("{ /: ., /docs: { path: ./docs, readonly: true } }"),
    });
    const asked: ApprovalRequest[] = [];
    const session = (await folder.open()).open({ approver: (request) => (asked.push(request), { decision: "allow" }) });
    for (const tool of CHANGING) {
      expect((await session.call(tool, { path: "/docs/a.txt", ...INPUTS[tool] })).error).toMatchObject({
        code: "blocked",
        message: expect.stringContaining("/docs/a.txt: it is mounted read-only"),
      });
    }
    expect(asked).toEqual([]);
    expect(readFileSync(join(folder.path, "docs/a.txt"), "utf8")).toBe("A");
    expect((await session.call("write_file", { path: "/other.txt", content: "X" })).ok).toBe(true);
    expect(asked).toHaveLength(1);
  });

  test("keep a folder read-only whichever way it is reached", async () => {
    const { folder, session } = await open(
      { "real/a.txt": "A" },
      config("{ /: ., /docs: { path: ./real, readonly: true } }"),
    );
    symlinkSync("real", join(folder.path, "alias"));
    expect((await session.call("write_file", { path: "/real/a.txt", content: "X" })).error?.code).toBe("blocked");
    expect((await session.call("write_file", { path: "/alias/a.txt", content: "X" })).error).toMatchObject({
      code: "denied",
      message: expect.stringContaining("read-only"),
    });
    expect((await session.call("file_info", { path: "/alias/a.txt" })).structured).toMatchObject({ readonly: true });
    expect((await session.call("write_file", { path: "/b.txt", content: "X" })).ok).toBe(true);
  });

  test("are read-only everywhere when the toolset is", async () => {
    const { session } = await open({ "a.txt": "A" }, config("{ /: . }", ", readonly: true"));
    expect((await session.call("delete_file", { path: "a.txt" })).error?.code).toBe("blocked");
    expect((await session.call("file_info", { path: "a.txt" })).structured).toMatchObject({ readonly: true });
  });

  test("take the longest mount that a path belongs to, and show it where it hangs", async () => {
    const { session } = await open(
      { "a.txt": "root", "docs/a.txt": "hidden", "real/a.txt": "docs", "deep/a.txt": "deep" },
      config("{ /: ., /docs: ./real, /docs/in: ./deep }"),
    );
    expect(text(await session.call("read_file", { path: "/a.txt" }))).toBe("root");
    expect(text(await session.call("read_file", { path: "/docs/a.txt" }))).toBe("docs");
    expect(text(await session.call("read_file", { path: "/docs/in/a.txt" }))).toBe("deep");
    expect((await session.call("glob", { pattern: "docs/**" })).structured).toMatchObject({
      entries: [{ path: "/docs/a.txt" }, { path: "/docs/in/a.txt" }],
    });
  });

  test("work with real paths where a folder is mounted at its own", async () => {
    const folder = makeFolder({ "a.txt": "A" });
    folder.write("pegboard.yaml", config(`{ "${folder.path}": . }`));
    const session = (await folder.open()).open();
    expect(text(await session.call("read_file", { path: join(folder.path, "a.txt") }))).toBe("A");
    expect(text(await session.call("read_file", { path: "a.txt" }))).toBe("A");
    expect((await session.call("read_file", { path: "/a.txt" })).error?.code).toBe("denied");
  });

  test("make the folders of a file that is written", async () => {
    const { folder, session } = await open();
    expect((await session.call("write_file", { path: "/a/b/c.txt", content: "C" })).structured).toMatchObject({
      action: "created",
      path: "/a/b/c.txt",
    });
    expect(readFileSync(join(folder.path, "a/b/c.txt"), "utf8")).toBe("C");
    expect((await session.call("write_file", { path: "/a/b/c.txt/d.txt", content: "D" })).error?.code).toBe(
      "invalid_input",
    );
  });
});

describe("A1-26 a narrower session", () => {
  const yaml = config("{ /: ., /docs: { path: ./real, readonly: true } }");
  const files = { "src/a.txt": "A", "b.txt": "B", "real/c.txt": "C" };

  test("sees a part of the files, or only for reading; the others see what they saw", async () => {
    const folder = makeFolder({ ...files, "pegboard.yaml": yaml });
    const workspace = await folder.open();
    const child = workspace.open({ approve: "all", filesystem: { paths: ["/src"], readonly: true } });
    expect(text(await child.call("read_file", { path: "/src/a.txt" }))).toBe("A");
    for (const path of ["/b.txt", "/docs/c.txt", "/src/../b.txt"])
      expect((await child.call("read_file", { path })).error?.code).toBe("denied");
    expect((await child.call("write_file", { path: "/src/a.txt", content: "X" })).error?.code).toBe("blocked");
    const parent = workspace.open({ approve: "all" });
    expect(text(await parent.call("read_file", { path: "/b.txt" }))).toBe("B");
    expect((await parent.call("write_file", { path: "/src/a.txt", content: "X" })).ok).toBe(true);
  });

  test.each([
    ["a folder that is not mounted", { paths: ["/../.."] }, /goes above the root/],
    [
      "to write where only reading is allowed",
      { readonly: false },
      /cannot write where only reading is allowed: \/docs/,
    ],
    ["to write in a part that is read-only", { paths: ["/docs"], readonly: false }, /cannot write/],
    ["a folder that is not there", { paths: ["/nosuch"] }, /cannot be used/],
    ["a folder behind a link that leads out", { paths: ["/out"] }, /leads out/],
  ])("is not opened when it asks for %s", async (_, filesystem, message) => {
    const folder = makeFolder({ ...files, "pegboard.yaml": yaml });
    symlinkSync("/", join(folder.path, "out"));
    const workspace = await folder.open();
    expect(() => workspace.open({ filesystem })).toThrow(message);
  });

  test("may not do what its parent may not, where its part begins further down", async () => {
    const policy = "policy: { rules: [{ toolset: filesystem, approval: preApproved }] }\n";
    const workspace = await makeFolder({
      ".git/hooks/x": "x",
      "src/real/c.txt": "C",
      "pegboard.yaml": config("{ /: ., /docs: { path: ./src/real, readonly: true } }") + policy,
    }).open();
    const [repository, source] = [
      workspace.open({ filesystem: { paths: ["/.git/hooks"] } }),
      workspace.open({ filesystem: { paths: ["/src"] } }),
    ];
    expect((await repository.call("write_file", { path: "/.git/hooks/x", content: "y" })).error?.message).toContain(
      "never changed without asking",
    );
    expect((await source.call("write_file", { path: "/src/real/c.txt", content: "y" })).error?.code).toBe("blocked");
    expect((await source.call("write_file", { path: "/src/d.txt", content: "y" })).ok).toBe(true);
  });

  test("is not opened where the workspace gives no files", async () => {
    const workspace = await makeFolder().open();
    expect(() => workspace.open({ filesystem: { readonly: true } })).toThrow(/no toolset filesystem/);
  });

  test("shrinks with the files of its workspace, and ends up with none", async () => {
    const folder = makeFolder({ ...files, "pegboard.yaml": yaml });
    const workspace = await folder.open();
    const child = workspace.open({ approve: "all", filesystem: { paths: ["/src"] } });
    folder.write("pegboard.yaml", config("{ /: . }", ", readonly: true"));
    await workspace.reload();
    expect((await child.call("write_file", { path: "/src/a.txt", content: "X" })).error?.code).toBe("blocked");
    folder.write("pegboard.yaml", "version: 1\n");
    await workspace.reload();
    expect((await child.call("read_file", { path: "/src/a.txt" })).error?.code).toBe("denied");
  });
});

describe("A1-27 a binary file", () => {
  test.each([
    ["by its ending", "picture.PNG", "just text", /its name ends in .PNG/],
    ["by its bytes", "picture", "a\u0000b", /bytes of value 0/],
    ["by its control characters", "noise", "\u0001\u0002\u0003abc", /control characters/],
  ])("is refused %s, with a hint", async (_, name, bytes, why) => {
    const { session } = await open({ [name]: bytes });
    const { error } = await session.call("read_file", { path: name });
    expect(error).toMatchObject({ code: "invalid_input", message: expect.stringMatching(why) });
    expect(error!.message).toMatch(/file_info tells its size/);
  });

  test("is not edited, and search passes it by", async () => {
    const { session } = await open({ data: "abc\u0000" });
    expect(
      (await session.call("edit_file", { path: "data", edits: [{ old: "abc", new: "b" }] })).error?.message,
    ).toContain("it is binary");
    expect((await session.call("search_files", { pattern: "abc", path: "data" })).structured).toMatchObject({
      matches: [],
      skipped: 1,
    });
  });

  test("in UTF-16 is told to be that", async () => {
    const { folder, session } = await open();
    writeFileSync(join(folder.path, "a.txt"), Buffer.from("\ufeffhello", "utf16le"));
    expect((await session.call("read_file", { path: "a.txt" })).error?.message).toContain("UTF-16");
  });
});

describe("A1-28 what writing tells", () => {
  test("is whether the file was created or modified, its bytes, and a diff", async () => {
    const { session } = await open();
    const created = await session.call("write_file", { path: "a.txt", content: "one\ntwo\nthree\n" });
    expect(created).toMatchObject({
      structured: { action: "created", bytes: 14, added: 3, removed: 0 },
      meta: { kind: "diff" },
    });
    expect(text(created)).toMatch(
      /^Created \/a.txt \(14 bytes, \+3 -0 lines\)\n--- \/dev\/null\n\+\+\+ b\/a.txt\n@@ -0,0 \+1,3 @@\n\+one\n/,
    );
    const modified = await session.call("write_file", { path: "a.txt", content: "one\n2\nthree\n" });
    expect(modified.structured).toEqual({
      path: "/a.txt",
      action: "modified",
      bytes: 12,
      added: 1,
      removed: 1,
      diff: "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    });
    expect((await session.call("write_file", { path: "a.txt", content: "one\n2\nthree\n" })).structured).toMatchObject({
      action: "unchanged",
      diff: "",
    });
  });

  test("says so where there is no diff", async () => {
    const { session } = await open({ "b.txt": "a\u0000" });
    expect(text(await session.call("write_file", { path: "a.txt", content: "x\n".repeat(3_000) }))).toMatch(
      /^Created .* no diff: it is too long/,
    );
    expect(text(await session.call("write_file", { path: "b.txt", content: "x" }))).toMatch(/no diff: it is not text/);
  });

  test("keeps the mode of the file, breaks no reader, and leaves nothing behind", async () => {
    const { folder, session } = await open({ "a.sh": "one", "other/b.txt": "x" });
    const file = join(folder.path, "a.sh");
    chmodSync(file, 0o755);
    linkSync(file, join(folder.path, "other/name"));
    await session.call("write_file", { path: "a.sh", content: "two" });
    expect(statSync(file).mode & 0o777).toBe(0o755);
    expect(readFileSync(join(folder.path, "other/name"), "utf8")).toBe("one");
    expect(readdirSync(folder.path).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });
});

describe("what decides what programs run", () => {
  const allowed = `${config("{ /: . }")}policy: { rules: [{ toolset: filesystem, approval: preApproved }] }\n`;
  const protectedPaths = [
    ".git/hooks/pre-commit",
    ".GIT/config",
    "sub/.git/config",
    ".pegboard/x",
    "pegboard.yaml",
    "Pegboard.YAML",
    "tools/x.ts",
    "plugins/p/index.ts",
    "agents/a.md",
    "hooks/h.sh",
    ".claude/settings.json",
    ".vſcode/tasks.json",
    ".github/workflows/ci.yml",
    "lib/own.mjs",
  ];
  const files = {
    "lib/own.mjs": `export const own = { name: "own", description: "Own", input: { type: "object" }, execute: () => 1 };`,
    "pegboard.yaml": `${allowed}`.replace(
      "toolsets:\n",
      "toolsets:\n  own: { module: ./lib/own.mjs, tools: [own], trusted: true }\n",
    ),
  };

  test.each(protectedPaths)("is not written or deleted without asking, whatever the rules say: %s", async (path) => {
    const folder = makeFolder(files);
    const session = (await folder.open()).open();
    for (const tool of CHANGING)
      expect(await session.explain(tool, { path, ...INPUTS[tool] })).toMatchObject({ decision: "ask", firm: true });
    expect((await session.call("write_file", { path, content: "x" })).error?.code).toBe("denied");
    expect((await session.call("write_file", { path: "free.txt", content: "x" })).ok).toBe(true);
  });

  test("is written when somebody says so, or everything was approved beforehand", async () => {
    const folder = makeFolder(files);
    const workspace = await folder.open();
    const asked = workspace.open({
      approver: ({ reason }) => ({ decision: reason.includes("never changed without asking") ? "allow" : "deny" }),
    });
    expect((await asked.call("write_file", { path: ".vscode/a.json", content: "{}" })).ok).toBe(true);
    expect(
      (await workspace.open({ approve: "all" }).call("write_file", { path: ".vscode/b.json", content: "{}" })).ok,
    ).toBe(true);
  });

  test("is not reached through a link with another name, and no folder is made there", async () => {
    const folder = makeFolder({ ...files, ".git/config": "x" });
    symlinkSync(".git", join(folder.path, "innocent"));
    symlinkSync(".git/config", join(folder.path, "file"));
    const session = (await folder.open()).open({ approve: "all" });
    for (const path of ["innocent/config", "innocent/new/deep.txt", "file", "innocent/new.txt"]) {
      expect((await session.call("write_file", { path, content: "y" })).error).toMatchObject({
        code: "denied",
        message: expect.stringContaining("name that itself"),
      });
    }
    expect((await session.call("delete_file", { path: "innocent/config" })).error?.code).toBe("denied");
    expect(readdirSync(join(folder.path, ".git"))).toEqual(["config"]);
    expect(readFileSync(join(folder.path, ".git/config"), "utf8")).toBe("x");
  });

  test("is read like anything else, and what is only called alike is written", async () => {
    const folder = makeFolder({ ...files, ".git/config": "x" });
    const session = (await folder.open()).open();
    expect(text(await session.call("read_file", { path: ".git/config" }))).toBe("x");
    for (const path of [".gitignore", "src/tools/x.ts", "my.git/x", "package.json"])
      expect((await session.call("write_file", { path, content: "x" })).ok).toBe(true);
  });
});

describe("the toolset", () => {
  test("is built in, reads without asking, and asks before it writes", async () => {
    const { session } = await open();
    const tools = session.list().filter(({ source }) => source.id === "filesystem");
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(INPUTS));
    expect(tools.filter(({ approval }) => approval === "ask").map(({ name }) => name)).toEqual(CHANGING);
    expect(tools.every(({ layer, source }) => layer === "builtin" && source.kind === "builtin")).toBe(true);
  });

  test("of a workspace that is not trusted is not there, and is named among what is held back", async () => {
    const workspace = await makeFolder({
      "pegboard.yaml": config("{ /: /, /docs: { path: /etc, readonly: true } }"),
    }).open({ trust: false });
    expect(workspace.tools.get("read_file")).toBeUndefined();
    expect(workspace.held).toEqual(["files (/ → /, /docs → /etc (read-only))"]);
  });

  test("is left out when a folder is missing or an entry is wrong, and said to be", async () => {
    for (const [yaml, message] of [
      [config("{ /: ./nosuch }"), /nosuch cannot be used/],
      [config("{ docs: . }"), /mounts/],
      [config("{ /: . }", ", readonly: 5"), /readonly/],
      [config("{ /: ., //: ./a }"), /Two folders are mounted at \//],
    ] as const) {
      const workspace = await makeFolder({ "a/x": "", "pegboard.yaml": yaml }).open();
      expect(workspace.diagnostics).toMatchObject([
        { severity: "error", message: expect.stringMatching(message), line: 3 },
      ]);
      expect(workspace.tools.get("read_file")).toBeUndefined();
    }
  });

  test.runIf(process.platform === "linux")("leaves no descriptor open, whatever happens", async () => {
    const { folder, session } = await open({ "a.txt": "A", "sub/b.txt": "B" });
    symlinkSync("/etc", join(folder.path, "out"));
    symlinkSync("nowhere", join(folder.path, "dangling"));
    mkdirSync(join(folder.path, "empty"));
    const exercise = async () => {
      for (const path of ["a.txt", "sub", "nosuch/x", "out/passwd", "out", "dangling", "a.txt/x", "dangling/x"]) {
        for (const [tool, input] of Object.entries(INPUTS)) await session.call(tool, { path, ...input });
      }
    };
    await exercise();
    const before = readdirSync("/proc/self/fd").length;
    await exercise();
    expect(readdirSync("/proc/self/fd").length).toBeLessThanOrEqual(before);
  });
});
