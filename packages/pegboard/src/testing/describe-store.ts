import type { Store } from "../stores/store.ts";
import { type Check, callStart, equal, file, rejects, start } from "./store-check.ts";
import { checkFiles } from "./store-files.ts";
import { checkLog } from "./store-log.ts";

/** The two functions of a test runner that the kit needs. Those of vitest, jest, mocha, bun and `node:test` all fit. */
export interface StoreTestRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: () => Promise<void>): unknown;
}

/** A new, empty store. `reopen` gives a second store on what the first has kept; leave it out when nothing outlives it. */
export interface OpenedStore {
  readonly store: Store;
  readonly reopen?: () => Promise<Store>;
  readonly cleanup?: () => Promise<void>;
}

/** The contract of `Store` as tests. `open` is called anew for each test. */
export function describeStore(name: string, open: () => Promise<OpenedStore>, runner: StoreTestRunner): void {
  function check(sentence: string, body: (opened: OpenedStore) => Promise<void>): void {
    runner.test(sentence, async () => {
      const opened = await open();
      try {
        await body(opened);
      } finally {
        await opened.store.close();
        await opened.cleanup?.();
      }
    });
  }

  runner.describe(`${name} keeps a log`, () => checkLog(check));
  runner.describe(`${name} keeps files`, () => checkFiles(check));
  runner.describe(`${name} has a lifetime`, () => checkLifetime(check));
}

function checkLifetime(check: Check): void {
  check("refuses every method once it is closed; closing twice is no error", async ({ store }) => {
    await store.append([start("a", 1)]);
    await store.close();
    await store.close();
    await rejects("unavailable", () => store.append([start("a", 2)]));
    await rejects("unavailable", () => store.read());
    await rejects("unavailable", () => store.files.read("a"));
    await rejects("unavailable", () => store.files.write(file("a", "x"), 20));
    await rejects("unavailable", () => store.files.list());
    await rejects("unavailable", () => store.files.history("a"));
    await rejects("unavailable", () => store.files.delete("a"));
  });

  check("closes without having been used", async ({ store }) => {
    await store.close();
    await rejects("unavailable", () => store.read());
  });

  check("keeps everything when it is opened again, where it outlives its process", async ({ store, reopen }) => {
    if (reopen === undefined) return;
    await store.append([start("a", 1), callStart("a", 2, "add")]);
    await store.files.write(file("a", "one"), 20);
    await store.files.write({ ...file("a", "two"), agent: "writer" }, 20);
    const [events, history] = [await store.read(), await store.files.history("a")];
    await store.close();

    const second = await reopen();
    try {
      equal(await second.read(), events);
      equal(await second.files.history("a"), history);
      await rejects("duplicate", () => second.append([start("a", 2)]));
      await second.append([start("a", 3)]);
      equal((await second.files.write(file("a", "three"), 20)).version, 3);
    } finally {
      await second.close();
    }
  });
}
