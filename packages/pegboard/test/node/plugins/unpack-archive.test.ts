import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, test } from "vitest";
import { unpackArchive } from "../../../src/node/plugins/unpack-archive.ts";
import { makeTarball, makeZip, type MadeEntry } from "./make-archive.ts";

const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A folder with an archive in it, and the folder into which it is to be unpacked. */
function prepare(archive: Uint8Array): { readonly around: string; readonly file: string; readonly folder: string } {
  const around = realpathSync(mkdtempSync(join(tmpdir(), "pegboard-archive-")));
  made.push(around);
  const file = join(around, "archive");
  writeFileSync(file, archive);
  return { around, file, folder: join(around, "out") };
}

const KINDS = [
  ["tgz", makeTarball],
  ["zip", makeZip],
] as const;

describe.each(KINDS)("a .%s", (_, make) => {
  test("is unpacked without the one folder that all of it lies in", () => {
    const { file, folder } = prepare(
      make([
        { path: "package/plugin.json", content: "{}" },
        { path: "package/lib/deep/a.js", content: "1" },
        { path: "package/node_modules/b/index.js", content: "no digest would cover it" },
        { path: "package/.git/hooks/post-checkout", content: "x" },
      ]),
    );
    unpackArchive(file, folder);
    expect(readFileSync(join(folder, "plugin.json"), "utf8")).toBe("{}");
    expect(readFileSync(join(folder, "lib/deep/a.js"), "utf8")).toBe("1");
    expect(readdirSync(folder)).toEqual(["lib", "plugin.json"]);
  });

  test.each<[string, MadeEntry]>([
    ["a path upwards", { path: "../evil.js" }],
    ["an absolute path", { path: "/abs.js" }],
    ["a path that leads out in the end", { path: "a/../../b.js" }],
    ["a link", { path: "link", link: "/etc" }],
    ["a path with a drive", { path: "C:\\x.js" }],
    ["a path with backslashes", { path: "a\\..\\..\\b.js" }],
    ["a file that is there twice", { path: "GOOD.js" }],
    ["a file where another needs a folder", { path: "good.js/inner" }],
  ])("PM041: with %s is refused, and nothing is written", (_name, entry) => {
    const { around, file, folder } = prepare(make([{ path: "good.js", content: "1" }, entry]));
    expect(() => unpackArchive(file, folder)).toThrow(
      expect.objectContaining({ code: "invalid_config", message: expect.stringContaining("nothing was written") }),
    );
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(around)).toEqual(["archive"]);
  });

  test.each([
    ["one file is too large", { entry: 1_000 }, [3_000]],
    ["all files together are too large", { total: 10_000, entry: 5_000 }, [4_000, 4_000, 4_000]],
    ["there are too many files", { entries: 2 }, [1, 1, 1]],
  ])("PM042: in which %s is refused, and nothing is written", (_name, limits, sizes) => {
    const entries = sizes.map((size, index) => ({ path: `${index}.txt`, content: noise(size) }));
    const { file, folder } = prepare(make(entries));
    expect(() => unpackArchive(file, folder, { ...WIDE, ...limits })).toThrow(
      expect.objectContaining({ code: "invalid_config" }),
    );
    expect(existsSync(folder)).toBe(false);
    unpackArchive(file, folder, WIDE);
    expect(readdirSync(folder)).toHaveLength(sizes.length);
  });

  test("PM042: that grows by far more than files do is refused", () => {
    const { file, folder } = prepare(make([{ path: "zeros", content: new Uint8Array(8 * 1024 * 1024) }]));
    expect(() => unpackArchive(file, folder)).toThrow(expect.objectContaining({ code: "invalid_config" }));
    expect(existsSync(folder)).toBe(false);
  });

  test("that is cut off, or something else, is refused", () => {
    const whole = make([{ path: "a.js", content: noise(2_000) }]);
    for (const bytes of [
      whole.subarray(0, whole.length / 2),
      whole.subarray(0, 2),
      Buffer.from("hello there"),
      gzipSync("x".repeat(600)),
    ]) {
      const { file, folder } = prepare(bytes);
      expect(() => unpackArchive(file, folder)).toThrow(expect.objectContaining({ code: "invalid_config" }));
      expect(existsSync(folder)).toBe(false);
    }
  });
});

const WIDE = { total: 1e6, entry: 1e5, entries: 100, ratio: 1_000 };

/** Bytes that cannot be packed, the same each time. */
function noise(length: number): Uint8Array {
  let state = 1;
  return Uint8Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) & 0xff);
}
