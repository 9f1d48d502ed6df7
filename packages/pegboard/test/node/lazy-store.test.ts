import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lazyStore } from "../../src/node/lazy-store.ts";
import { sqliteStore } from "../../src/node/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { describeStore } from "../../src/testing/describe-store.ts";

let root: string;
let files = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "pegboard-lazy-"));
});
afterAll(async () => {
  await rm(root, { recursive: true });
});

describeStore(
  "a store that is made at its first use",
  async () => {
    const file = join(root, String(++files), "pegboard.db");
    const open = () => lazyStore(async () => sqliteStore(file));
    return { store: open(), reopen: async () => open() };
  },
  { describe, test },
);

describe("a store that is made at its first use", () => {
  let made: number;
  const create = (): Store => {
    const file = join(root, String(++files), "pegboard.db");
    made = 0;
    return lazyStore(async () => {
      made++;
      return sqliteStore(file);
    });
  };

  test("is not made by being closed", async () => {
    const store = create();
    await store.close();
    expect(made).toBe(0);
  });

  test("refuses what comes after it was closed unused", async () => {
    const store = create();
    await store.close();
    await expect(store.read()).rejects.toMatchObject({ code: "unavailable" });
    await expect(store.append([])).rejects.toMatchObject({ code: "unavailable" });
    await expect(store.blobs.read("s", "c", 0, 1)).rejects.toMatchObject({ code: "unavailable" });
    expect(made).toBe(1);
  });

  test("does what was begun before it was closed", async () => {
    const store = create();
    const began = store.append([{ v: 1, seq: 1, at: 1, type: "session-end", session: "s", data: { calls: 0 } }]);
    await store.close();
    await expect(began).resolves.toBeUndefined();
    await expect(store.read()).rejects.toMatchObject({ code: "unavailable" });
  });

  test("is made once for uses that come together", async () => {
    const store = create();
    await Promise.all([store.read(), store.files.list(), store.unfinished()]);
    expect(made).toBe(1);
    await store.close();
  });
});
