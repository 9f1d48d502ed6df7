import { createRuntime, type Json, memoryStore } from "pegboard";
import { expect, test } from "vitest";
import type { FileStore } from "../../src/core/vfs.ts";
import { type VfsScope, vfsTools } from "../../src/tools/vfs.ts";

interface Reply {
  readonly content: readonly { readonly text: string }[];
  readonly structured: unknown;
  readonly meta: { readonly kind?: string };
}

/** The virtual files of a runtime, whose tools a session calls. A call that fails rejects with its error. */
function openFiles({ versions, scope = [] }: Options = {}) {
  const [outer, inner] = scope;
  const vfs = { ...outer, ...(versions !== undefined && { versions }) };
  const runtime = createRuntime({ vfs });
  async function call(name: string, input: unknown, { agent, callId = "c1" }: Caller = {}): Promise<Reply> {
    const session = runtime.open({ ...(inner && { vfs: inner }), ...(agent && { agent }) });
    const { error, ...reply } = await session.call(name, input as Json, { id: callId });
    await session.close();
    if (error) throw error;
    return reply as unknown as Reply;
  }
  return { files: runtime.store.files, call };
}

interface Options {
  readonly versions?: number;
  /** Of the runtime, and of the session. */
  readonly scope?: readonly [outer?: VfsScope, inner?: VfsScope];
}

interface Caller {
  readonly agent?: { readonly name: string; readonly chain: readonly string[] };
  readonly callId?: string;
}

async function seed(files: FileStore, paths: readonly string[]): Promise<void> {
  for (const path of paths) await files.write({ path, text: `text of ${path}`, at: 0, call: "seed" }, 20);
}

test("A0-06 a file reads as it was written, and every write adds a version with its agent and call", async () => {
  const { files, call } = openFiles();
  const content = "héllo\r\n\0 \u{1f4c4}\n";
  const first = await call("vfs_write", { path: "notes/a.md", content });
  expect(first.structured).toEqual({ path: "notes/a.md", characters: content.length, version: 1, created: true });
  expect((await call("vfs_read", { path: "notes/a.md" })).content).toEqual([{ type: "text", text: content }]);

  const agent = { name: "writer", chain: ["root", "writer"] };
  const second = await call("vfs_write", { path: "/notes//a.md", content: "hello again!" }, { agent, callId: "c2" });
  expect(second.structured).toEqual({ path: "notes/a.md", characters: 12, version: 2, created: false });
  expect(second.content[0]?.text).toBe("Wrote notes/a.md (12 characters, version 2)");
  const history = await files.history("notes/a.md");
  expect(history.map(({ version, call, agent }) => ({ version, call, agent }))).toEqual([
    { version: 1, call: "c1", agent: undefined },
    { version: 2, call: "c2", agent: "writer" },
  ]);
  const read = await call("vfs_read", { path: "notes/a.md" });
  expect(read).toMatchObject({
    structured: { path: "notes/a.md", version: 2, text: "hello again!" },
    meta: { kind: "file_content" },
  });
});

test("A0-06 an empty file is a file, and a lone surrogate becomes U+FFFD in every store", async () => {
  const { call } = openFiles();
  await call("vfs_write", { path: "empty", content: "" });
  expect((await call("vfs_read", { path: "empty" })).content).toEqual([{ type: "text", text: "" }]);
  await call("vfs_write", { path: "odd", content: "a\ud800" });
  expect((await call("vfs_read", { path: "odd" })).content[0]?.text).toBe("a\ufffd");
});

test.each([
  [undefined, 20],
  [3, 3],
  [1, 1],
])("A0-07 with versions %j the newest %i versions of a file are kept", async (versions, kept) => {
  const { files, call } = openFiles(versions === undefined ? {} : { versions });
  for (let index = 1; index <= 25; index++) await call("vfs_write", { path: "a", content: `v${index}` });
  const history = await files.history("a");
  expect(history).toHaveLength(kept);
  expect(history.at(-1)).toMatchObject({ version: 25, text: "v25" });
});

test.each([0, -1, 1.5, Number.NaN])("A0-07 %d versions are refused as a setting", (versions) => {
  expect(() => openFiles({ versions })).toThrow(expect.objectContaining({ code: "invalid_config" }));
});

test("A0-08 a list is a sorted JSON array of what is under the folder, not of names that begin alike", async () => {
  const { files, call } = openFiles();
  await seed(files, ["notes2/c.md", "notes/b.md", "top.md", "notes/a.md", "notes"]);
  const list = await call("vfs_list", { prefix: "notes" });
  expect(list.structured).toEqual(["notes", "notes/a.md", "notes/b.md"]);
  expect(JSON.parse(list.content[0]!.text)).toEqual(list.structured);
  expect(list.meta).toEqual({ kind: "file_list" });
  expect((await call("vfs_list", { prefix: "/notes/" })).structured).toEqual(list.structured);
  for (const all of [{}, { prefix: "" }, { prefix: "/" }]) {
    expect((await call("vfs_list", all)).structured).toEqual([
      "notes",
      "notes/a.md",
      "notes/b.md",
      "notes2/c.md",
      "top.md",
    ]);
  }
});

test("A0-08 a list without a match succeeds and names the folders that may be read", async () => {
  const { files, call } = openFiles({ scope: [{ read: ["notes/**", "drafts/**", "top.md"] }] });
  expect((await call("vfs_list", { prefix: "x" })).content[0]?.text).toBe("There are no files yet");
  await seed(files, ["secret/k", "top.md"]);
  expect((await call("vfs_list", { prefix: "x" })).content[0]?.text).toBe(
    'No file is under "x": all files are at the top',
  );
  await seed(files, ["notes/x/a.md", "notes/b.md", "drafts/c.md"]);
  const list = await call("vfs_list", { prefix: "secret" });
  expect(list.structured).toEqual([]);
  expect(list.content[0]?.text).toBe('No file is under "secret": there are files under drafts, notes');
});

test("A0-09 a read outside the read scope is denied, whether or not there is such a file", async () => {
  const { files, call } = openFiles({ scope: [{ read: ["notes/**", "*.txt"] }] });
  await seed(files, ["secret/a.md", "notes/b.md"]);
  for (const path of ["secret/a.md", "secret/none.md", "notes/../secret/a.md"]) {
    await expect(call("vfs_read", { path })).rejects.toMatchObject({
      code: "denied",
      message: expect.stringContaining("toolsets.vfs.read allows only notes/**, *.txt"),
    });
  }
  expect((await call("vfs_read", { path: "notes/b.md" })).content[0]?.text).toBe("text of notes/b.md");
  expect((await call("vfs_list", {})).structured).toEqual(["notes/b.md"]);
});

test("A0-09 a path inside the scope never reaches a file of the same name outside it, and no suggestion names one", async () => {
  const { files, call } = openFiles({ scope: [{ read: ["notes/**"] }] });
  await seed(files, ["secret/a.md", "notes/old/a.md", "notes/b.md", "notes/far-away.md"]);
  await expect(call("vfs_read", { path: "notes/a.md" })).rejects.toMatchObject({
    code: "not_found",
    message: 'There is no file "notes/a.md": near it are notes/b.md, notes/old/a.md',
  });
  await expect(call("vfs_read", { path: "notes/nothing-like-it" })).rejects.toThrow(
    "vfs_list shows which files there are",
  );
  await expect(call("vfs_read", { path: "notes/B.MD" })).rejects.toThrow("near it are notes/b.md");
});

test("A0-09 suggestions are few, also among many files", async () => {
  const { files, call } = openFiles();
  await seed(
    files,
    Array.from({ length: 2000 }, (_, index) => `folder${index}/a.md`),
  );
  const refusal = await call("vfs_read", { path: "a.md" }).catch((error: Error) => error.message);
  expect(String(refusal).match(/folder/g)).toHaveLength(5);
});

test.each([
  "../notes/a.md",
  "notes/../../x",
  "notes/../secret.md",
  "notes\\..\\secret.md",
  "..\\secret.md",
  "/../notes/a.md",
])("A0-10 neither a write nor a delete of %j leaves the write scope", async (path) => {
  const { files, call } = openFiles({ scope: [{ write: ["notes/**"] }] });
  await seed(files, ["secret.md"]);
  const refused = expect.objectContaining({ code: expect.stringMatching(/^(denied|invalid_input)$/) });
  await expect(call("vfs_write", { path, content: "x" })).rejects.toEqual(refused);
  await expect(call("vfs_delete", { path })).rejects.toEqual(refused);
  expect(await files.history("secret.md")).toHaveLength(1);
  expect(await files.list()).toEqual(["secret.md"]);
});

test("A0-10 a write inside the write scope succeeds, one outside names the setting", async () => {
  const { call } = openFiles({ scope: [{ write: ["notes/**"] }] });
  await call("vfs_write", { path: "x/../notes/a.md", content: "x" });
  await expect(call("vfs_write", { path: "other.md", content: "x" })).rejects.toMatchObject({
    code: "denied",
    message: 'May not write "other.md": toolsets.vfs.write allows only notes/**',
  });
});

test("A0-09 A0-10 several scopes allow only what all of them allow", async () => {
  const { files, call } = openFiles({
    scope: [
      { read: ["notes/**"], write: ["**/*.md"] },
      { read: ["**/*.md"], write: ["notes/**"] },
    ],
  });
  await seed(files, ["notes/a.md", "notes/a.txt", "other/a.md"]);
  expect((await call("vfs_list", {})).structured).toEqual(["notes/a.md"]);
  for (const path of ["notes/a.txt", "other/a.md"]) {
    await expect(call("vfs_read", { path })).rejects.toMatchObject({ code: "denied" });
    await expect(call("vfs_write", { path, content: "x" })).rejects.toMatchObject({ code: "denied" });
  }
  await call("vfs_write", { path: "notes/a.md", content: "x" });
});

test("a delete removes the file and says so, and a second one finds nothing", async () => {
  const { files, call } = openFiles();
  await seed(files, ["notes/a.md"]);
  expect(await call("vfs_delete", { path: "notes/a.md" })).toMatchObject({ structured: { path: "notes/a.md" } });
  expect(await files.list()).toEqual([]);
  await expect(call("vfs_delete", { path: "notes/a.md" })).rejects.toMatchObject({ code: "not_found" });
});

test.each(["", " ", null, 7, true, ["a"], { a: 1 }])(
  "A0-13 the path %j is refused by every tool, and none crashes",
  async (path) => {
    const { call } = openFiles();
    for (const name of ["vfs_read", "vfs_write", "vfs_delete"]) {
      await expect(call(name, { path, content: "x" }), name).rejects.toMatchObject({ code: "invalid_input" });
    }
  },
);

test.each([null, 7, true, ["a"], { a: 1 }, "..", "a\0"])("A0-13 the prefix %j is refused", async (prefix) => {
  await expect(openFiles().call("vfs_list", { prefix })).rejects.toMatchObject({ code: "invalid_input" });
});

test("a file holds at most 8 MiB, counted in bytes", async () => {
  const { files, call } = openFiles();
  const most = 8 * 1024 * 1024;
  await call("vfs_write", { path: "a", content: "x".repeat(most) });
  for (const content of ["x".repeat(most + 1), "é".repeat(most / 2 + 1), 5, null]) {
    await expect(call("vfs_write", { path: "b", content })).rejects.toMatchObject({ code: "invalid_input" });
  }
  expect(await files.list()).toEqual(["a"]);
});

test("the tools touch nothing but Pegboard's own state, and sum up what they would change", () => {
  const tools = vfsTools({ files: memoryStore().files });
  expect(tools.map(({ name }) => name)).toEqual(["vfs_read", "vfs_write", "vfs_list", "vfs_delete"]);
  for (const { capabilities, callers } of tools)
    expect({ capabilities, callers }).toEqual({ capabilities: ["state"], callers: undefined });
  const summaries = tools.map((tool) => tool.summary?.({ path: "a", content: "xyz" }));
  expect(summaries).toEqual([undefined, "Write a (3 characters)", undefined, "Delete a with all of its versions"]);
});
