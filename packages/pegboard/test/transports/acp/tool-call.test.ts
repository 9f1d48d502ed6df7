import { describe, expect, it } from "vitest";
import { defineTool, Registry } from "../../../src/index.ts";
import { type KnownTools, toProposal, toShownCall, toShownResult } from "../../../src/transports/acp/tool-call.ts";

function known(name: string, capabilities: readonly any[] = [], root?: string): KnownTools {
  const board = new Registry();
  board.register(
    defineTool({ name, description: "A tool", input: { type: "object" }, capabilities, execute: () => "" }),
  );
  return { find: (asked) => board.find(asked), realPath: (_, path) => root && `${root}${path}` };
}

describe("a call, as clients show it", () => {
  it.each([
    ["read_file", ["read"], "read"],
    ["search_files", ["read"], "search"],
    ["write_file", ["write"], "edit"],
    ["delete_file", ["write"], "delete"],
    ["vfs_write", ["state"], "edit"],
    ["shell", ["process"], "execute"],
    ["web_search", ["network"], "fetch"],
    ["remove_account", ["network", "write"], "fetch"],
    ["mystery", [], "other"],
  ])("has a kind: %s with %j is %s", (name, capabilities, kind) => {
    expect(toShownCall(name, {}, known(name, capabilities)).kind).toBe(kind);
  });

  it("has a title that says the tool and its first words, in one visible line", () => {
    const title = (input: any) => toShownCall("echo", input, known("echo")).title;
    expect(title({ count: 3, text: "a\n b", other: "c" })).toBe("echo: a b");
    expect(title({ text: "safe\u202Eevil" })).toBe("echo: safe\\u{202e}evil");
    expect(title({ text: "x".repeat(300) })).toHaveLength("echo: ".length + 101);
    expect(title({})).toBe("echo");
    expect(title(null)).toBe("echo");
  });

  it("has the place of the file where the tool works on real files, and none elsewhere", () => {
    expect(toShownCall("read_file", { path: "/a.md" }, known("read_file", ["read"], "/some"))).toMatchObject({
      locations: [{ path: "/some/a.md" }],
    });
    expect(toShownCall("vfs_read", { path: "/a.md" }, known("vfs_read", ["state"]))).not.toHaveProperty("locations");
    expect(toShownCall("nothing", { path: "/a.md" }, known("vfs_read"))).toMatchObject({ kind: "other" });
  });

  it("proposes the changes that its input tells", () => {
    const tools = known("edit_file", ["write"], "/some");
    const edits = [
      { old: "a", new: "b" },
      { old: "c", new: "" },
    ];
    expect(toProposal("edit_file", { path: "/x.md", edits }, tools)).toEqual([
      { type: "diff", path: "/some/x.md", oldText: "a", newText: "b" },
      { type: "diff", path: "/some/x.md", oldText: "c", newText: "" },
    ]);
    expect(toProposal("edit_file", { path: "/x.md", edits: [3, null] }, tools)).toEqual([]);
    expect(toProposal("edit_file", { edits }, tools)).toEqual([]);
  });

  it("shows what it changed, piece by piece, with line ends as they are", () => {
    const tools = known("edit_file", ["write"], "/some");
    const diff = [
      "--- a/x.md",
      "+++ b/x.md",
      "@@ -1,2 +1,2 @@",
      " one",
      "-two",
      "+2",
      "@@ -9 +9 @@",
      "-nine",
      "\\ No newline at end of file",
      "+9",
      "\\ No newline at end of file",
      "",
    ].join("\n");
    const result = { ok: true, content: [], structured: { path: "/x.md", diff }, meta: { kind: "diff" } };
    expect(toShownResult("edit_file", result, tools)).toEqual([
      { type: "diff", path: "/some/x.md", oldText: "one\ntwo\n", newText: "one\n2\n" },
      { type: "diff", path: "/some/x.md", oldText: "nine", newText: "9" },
    ]);
    const made = "--- /dev/null\n+++ b/x.md\n@@ -0,0 +1 @@\n+new\n";
    expect(toShownResult("edit_file", { ...result, structured: { path: "/x.md", diff: made } }, tools)).toEqual([
      { type: "diff", path: "/some/x.md", oldText: null, newText: "new\n" },
    ]);
  });

  it("shows what the model reads of every other result, and the beginning of one that was cut", () => {
    const tools = known("echo");
    const content = [
      { type: "text" as const, text: "hi" },
      { type: "resource" as const, resource: { uri: "mem://a", text: "there" } },
      { type: "resource" as const, resource: { uri: "mem://b" } },
    ];
    expect(toShownResult("echo", { ok: true, content, meta: {} }, tools).map((one: any) => one.content.type)).toEqual([
      "text",
      "resource",
      "resource_link",
    ]);
    const cut = { cut: true as const, characters: 9_000, sha256: "", preview: "begin" };
    expect(toShownResult("echo", cut, tools)).toEqual([
      { type: "content", content: { type: "text", text: "begin\n… (9000 characters)" } },
    ]);
  });
});
