import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toDiff } from "../../src/node/files/diff.ts";
import { parseFilePath } from "../../src/node/files/file-path.ts";
import { inTurn } from "../../src/node/files/in-turn.ts";
import { takeLines } from "../../src/node/files/lines.ts";
import { Seen } from "../../src/node/files/seen.ts";

describe("a diff", () => {
  const line = fc.constantFrom("a\n", "b\n", "c\n", "d\n");
  const content = fc
    .tuple(fc.array(line, { maxLength: 25 }), fc.constantFrom("", "end"))
    .map(([lines, end]) => lines.join("") + end);

  test("turns the one text into the other, and is no longer than it must be", () => {
    fc.assert(
      fc.property(content, content, (from, to) => {
        const { text, added, removed } = toDiff(from, to, "/f")!;
        expect(patch(from, text)).toBe(to);
        expect(added + removed).toBe(distance(toLines(from), toLines(to)));
      }),
    );
  });

  test("of very different texts is right and quick, and of long ones is left out", () => {
    const many = (word: string, count: number) =>
      Array.from({ length: count }, (_, index) => `${word}${index}\n`).join("");
    const startedAt = performance.now();
    const { text, added, removed } = toDiff(many("x", 2_000), many("y", 2_000), "/f")!;
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect([added, removed]).toEqual([2_000, 2_000]);
    expect(patch(many("x", 2_000), text)).toBe(many("y", 2_000));
    expect(toDiff("", many("x", 2_001), "/f")).toBeUndefined();
    expect(toDiff("", "x".repeat(200_001), "/f")).toBeUndefined();
  });

  test("has the form that tools know", () => {
    expect(toDiff("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9", "/a b")!.text).toBe(
      "--- a/a b\n+++ b/a b\n@@ -2,8 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n-9\n+9\n\\ No newline at end of file\n",
    );
    expect(toDiff(undefined, "x\n", "/f")!.text).toBe("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n");
    expect(toDiff("same\n", "same\n", "/f")).toEqual({ text: "", added: 0, removed: 0 });
  });
});

describe("a path", () => {
  test.each([
    ["/a/b", ["a", "b"]],
    ["a//b/./c/", ["from", "a", "b", "c"]],
    ["/a/../b", ["b"]],
    ["..", []],
    ["/%2e%2e/x", ["%2e%2e", "x"]],
    ["/\uff0e\uff0e/x", ["\uff0e\uff0e", "x"]],
    ["/..../x", ["....", "x"]],
    ["/12:30 ~x/aux.c", ["12:30 ~x", "aux.c"]],
  ])("%s has the names %j", (path, names) => expect(parseFilePath(path, ["from"], "linux")).toEqual(names));

  test.each(["a\u0000", "a\u001b[2J", "\u202egnp.exe", "a\\b", "C:/x", "~/x", "~root", "x".repeat(4097), "\ud800"])(
    "%j is refused",
    (path) => {
      expect(() => parseFilePath(path)).toThrow(expect.objectContaining({ code: "invalid_input" }));
    },
  );

  test.each(["/aux.c", "/a:b", "/x.", "/x ", "/NUL"])("%j is refused on Windows", (path) => {
    expect(() => parseFilePath(path, [], "win32")).toThrow(/no name of a file on Windows/);
    expect(() => parseFilePath(path, [], "linux")).not.toThrow();
  });

  test("cannot go above the root, whatever it is made of", () => {
    expect(() => parseFilePath("/a/../../b")).toThrow(expect.objectContaining({ code: "denied" }));
    fc.assert(
      fc.property(fc.array(fc.constantFrom("..", ".", "", "a", "b"), { maxLength: 12 }), (parts) => {
        try {
          expect(parseFilePath(`/${parts.join("/")}`)).not.toContain("..");
        } catch (error) {
          expect(error).toMatchObject({ code: "denied" });
        }
      }),
    );
  });
});

describe("lines", () => {
  test("taken in parts make the whole", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "\n", "b\r\n"), { maxLength: 30 }),
        fc.integer({ min: 1, max: 7 }),
        (parts, limit) => {
          const text = parts.join("");
          let [read, offset] = ["", 0];
          for (;;) {
            const part = takeLines({ text, mark: false, lossy: false }, offset, limit);
            read += part.text;
            offset += part.lines;
            if (part.left === 0) break;
            expect(part.lines).toBe(limit);
          }
          expect(read).toBe(text);
        },
      ),
    );
  });
});

describe("work on one file", () => {
  test("is done in turn, also after work that failed, and work on others is not held up", async () => {
    const done: string[] = [];
    const work =
      (name: string, ms: number, fails = false) =>
      async () => {
        await new Promise((resolve) => setTimeout(resolve, ms));
        done.push(name);
        if (fails) throw new Error(name);
      };
    const results = await Promise.allSettled([
      inTurn("a", work("a1", 30, true)),
      inTurn("a", work("a2", 0)),
      inTurn("b", work("b1", 5)),
    ]);
    expect(done).toEqual(["b1", "a1", "a2"]);
    expect(results.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  });
});

describe("what sessions have seen", () => {
  test("is kept for each, and the oldest is forgotten first", () => {
    const seen = new Seen();
    const [one, two] = [Buffer.from("1"), Buffer.from("2")];
    seen.note("s", "/a", one);
    expect([
      seen.isStale("s", "/a", one),
      seen.isStale("s", "/a", two),
      seen.isStale("other", "/a", two),
      seen.isStale("s", "/b", two),
    ]).toEqual([false, true, false, false]);
    for (let index = 0; index < 2_000; index++) seen.note("s", `/f${index}`, one);
    expect(seen.isStale("s", "/a", two)).toBe(false);
    expect(seen.isStale("s", "/f1999", two)).toBe(true);
  });
});

function toLines(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

/** Applies a diff, strictly: every line of it must fit. */
function patch(from: string, diff: string): string {
  const before = toLines(from);
  const after: string[] = [];
  let at = 0;
  for (const hunk of diff.split(/^@@ -/m).slice(1)) {
    const [, start, count = "1"] = /^(\d+)(?:,(\d+))?/.exec(hunk)!;
    const first = Number(count) === 0 ? Number(start) : Number(start) - 1;
    after.push(...before.slice(at, first));
    at = first;
    for (const line of hunk
      .slice(hunk.indexOf("\n") + 1)
      .replaceAll("\n\\ No newline at end of file\n", "\uffff")
      .split(/(?<=[\n\uffff])/)) {
      const text = line.slice(1).replace("\uffff", "");
      if (line[0] !== "+" && before[at++] !== text) throw new Error(`does not fit: ${line}`);
      if (line[0] !== "-") after.push(text);
    }
  }
  return [...after, ...before.slice(at)].join("");
}

/** How many lines must be added and removed, by the plain table. */
function distance(a: readonly string[], b: readonly string[]): number {
  const common = Array.from({ length: a.length + 1 }, () => Array.from({ length: b.length + 1 }, () => 0));
  for (let x = a.length - 1; x >= 0; x--)
    for (let y = b.length - 1; y >= 0; y--)
      common[x]![y] = a[x] === b[y] ? common[x + 1]![y + 1]! + 1 : Math.max(common[x + 1]![y]!, common[x]![y + 1]!);
  return a.length + b.length - 2 * common[0]![0]!;
}
