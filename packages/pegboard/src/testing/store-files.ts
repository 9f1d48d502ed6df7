import { type Check, equal, file, ODD_TEXTS } from "./store-check.ts";

const ODD_PATHS = [
  "__proto__",
  "hasOwnProperty",
  "constructor",
  "toString",
  "a b/c",
  "%2e%2e",
  "*",
  "_%",
  "é",
  "e\u0301",
  "\u{1f4c4}",
];

/** The part of the contract that is about `files`. */
export function checkFiles(check: Check): void {
  check("reads what was written, with who wrote it", async ({ store: { files } }) => {
    equal(await files.read("notes/a.md"), undefined);
    equal(await files.write({ ...file("notes/a.md", "one"), agent: "writer" }, 20), {
      ...file("notes/a.md", "one"),
      agent: "writer",
      version: 1,
    });
    equal(await files.read("notes/a.md"), { ...file("notes/a.md", "one"), agent: "writer", version: 1 });
  });

  check("counts the versions of each file by itself and keeps them, oldest first", async ({ store: { files } }) => {
    await files.write(file("a", "one"), 20);
    await files.write(file("b", "other"), 20);
    equal((await files.write(file("a", "two"), 20)).version, 2);
    equal((await files.read("a"))?.text, "two");
    equal(await files.history("a"), [
      { ...file("a", "one"), version: 1 },
      { ...file("a", "two"), version: 2 },
    ]);
    equal(await files.history("c"), []);
  });

  check("forgets the oldest versions beyond those to keep, and counts on", async ({ store: { files } }) => {
    for (let version = 1; version <= 5; version++) await files.write(file("a", `v${version}`), 3);
    equal(
      (await files.history("a")).map(({ version, text }) => [version, text]),
      [
        [3, "v3"],
        [4, "v4"],
        [5, "v5"],
      ],
    );
    await files.write(file("a", "v6"), 1);
    equal(
      (await files.history("a")).map(({ version }) => version),
      [6],
    );
  });

  check("lists every path once, sorted by code unit", async ({ store: { files } }) => {
    equal(await files.list(), []);
    const paths = ["b", "a/b", "a", "B", "ä", "\uff5e", "\u{1f4c4}", "a/b/c", "a.b"];
    for (const path of paths) await files.write(file(path, path), 20);
    await files.write(file("a", "again"), 20);
    equal(await files.list(), [...paths].sort());
  });

  check("deletes a file with its versions and says whether there was one", async ({ store: { files } }) => {
    await files.write(file("a", "one"), 20);
    await files.write(file("a", "two"), 20);
    await files.write(file("b", "stays"), 20);
    equal(await files.delete("a"), true);
    equal(await files.delete("a"), false);
    equal(await files.read("a"), undefined);
    equal(await files.history("a"), []);
    equal(await files.list(), ["b"]);
    equal((await files.write(file("a", "new"), 20)).version, 1);
  });

  check("takes any path as a plain key", async ({ store: { files } }) => {
    for (const path of ODD_PATHS) equal(await files.read(path), undefined);
    for (const path of ODD_PATHS) await files.write(file(path, `text of ${path}`), 20);
    for (const path of ODD_PATHS) equal((await files.read(path))?.text, `text of ${path}`);
    equal(await files.list(), [...ODD_PATHS].sort());
    equal(({} as Record<string, unknown>)["text"], undefined);
  });

  check("gives any text back; a lone surrogate may become U+FFFD", async ({ store: { files } }) => {
    for (const [index, text] of ODD_TEXTS.entries()) {
      await files.write(file(`f${index}`, text), 20);
      const read = (await files.read(`f${index}`))?.text;
      equal(read === text || read === text.toWellFormed(), true);
    }
  });

  check("numbers concurrent writes of one file without a gap", async ({ store: { files } }) => {
    const written = await Promise.all(["a", "b", "c", "d"].map((text) => files.write(file("x", text), 20)));
    equal(new Set(written.map(({ version }) => version)).size, 4);
    equal(
      (await files.history("x")).map(({ version }) => version),
      [1, 2, 3, 4],
    );
  });
}
