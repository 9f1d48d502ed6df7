import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { nameOfSource, parsePluginSource, toSourceText } from "../../../src/node/plugins/plugin-source.ts";

test.each([
  ["npm:some-plugin", { kind: "npm", name: "some-plugin" }, "some-plugin"],
  ["npm:@scope/some.plugin@^1.2.0", { kind: "npm", name: "@scope/some.plugin", range: "^1.2.0" }, "some.plugin"],
  ["git:https://x.example/a/b.git", { kind: "git", url: "https://x.example/a/b.git" }, "b"],
  ["git:me@x.example:a/b#v1/x", { kind: "git", url: "me@x.example:a/b", ref: "v1/x" }, "b"],
  ["git:ssh://me@x.example/b.git#0a1b", { kind: "git", url: "ssh://me@x.example/b.git", ref: "0a1b" }, "b"],
])("%s is read, named, and written as it was", (text, source, name) => {
  const parsed = parsePluginSource(text, "/");
  expect(parsed).toEqual(source);
  expect(nameOfSource(parsed)).toBe(name);
  expect(toSourceText(parsed, "/")).toBe(text);
});

test.each([
  "npm:",
  "npm:--evil",
  "npm:../x",
  "npm:https://x.example/y.tgz",
  "npm:a@file:../x",
  "npm:a b",
  "git:",
  "git:ext::sh -c true",
  "git:--upload-pack=x",
  "git:-oProxyCommand=x@y:z",
  "git:me@x:-oProxyCommand=y",
  "git:/etc",
  "git:https://x.example/y#--evil",
  "git:https://x.example/y#a#b",
  "no-such-folder",
])("%s is refused", (text) => {
  expect(() => parsePluginSource(text, "/")).toThrow(expect.objectContaining({ code: "invalid_config" }));
});

test("a path inside of the workspace is written so that it holds wherever that is copied to", () => {
  const base = mkdtempSync(join(tmpdir(), "pegboard-source-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  mkdirSync(join(base, "lib/kit"), { recursive: true });
  writeFileSync(join(base, "kit.tgz"), "");
  expect(toSourceText(parsePluginSource("lib/kit", base), base)).toBe("./lib/kit");
  expect(parsePluginSource("./kit.tgz", base)).toEqual({ kind: "archive", path: join(base, "kit.tgz") });
  expect(toSourceText(parsePluginSource("..", base), base)).toBe(join(base, ".."));
});
