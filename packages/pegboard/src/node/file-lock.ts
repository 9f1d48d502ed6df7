import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { PegboardError } from "../core/error.ts";
import { isProcessAlive, processIdentity } from "./process-identity.ts";

const RETRY_MS = 20;
const MOST_MS = 5_000;

/**
 * Runs something while no other process does the same: the file names who holds the lock, and a holder that is gone loses
 * it. Rejects with `unavailable` when it stays taken.
 */
export async function withFileLock<T>(path: string, run: () => T): Promise<T> {
  const giveUpAt = performance.now() + MOST_MS;
  while (!take(path)) {
    if (performance.now() > giveUpAt)
      throw new PegboardError(
        "unavailable",
        `Another process holds ${path}: try again, or delete it when there is none`,
        { retryable: true },
      );
    await wait(RETRY_MS);
  }
  try {
    return run();
  } finally {
    rmSync(path, { force: true });
  }
}

function take(path: string): boolean {
  try {
    writeFileSync(path, processIdentity(), { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    const holder = holderOf(path);
    // Empty is a lock that is being written.
    if (holder && !isProcessAlive(holder)) rmSync(path, { force: true });
    return false;
  }
}

function holderOf(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
