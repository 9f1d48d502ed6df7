import { existsSync } from "node:fs";
import { databaseFile } from "../../node/places.ts";
import { sqliteStore } from "../../node/sqlite.ts";
import { memoryStore } from "../../stores/memory.ts";
import type { Store } from "../../stores/store.ts";
import type { CommandInput } from "../command.ts";
import { toSettings } from "../settings.ts";

/** The file of the workspace's log, whether it is there or not. */
export function logFile(options: CommandInput["options"]): string {
  const { workspace, home } = toSettings(options);
  return databaseFile(workspace.value, home.value);
}

/**
 * Works on the workspace's log. Nothing of the workspace runs, so it needs no trust. A log that is not there is empty, and
 * is not made.
 */
export async function withLog<T>({ options, terminal }: CommandInput, work: (store: Store) => Promise<T>): Promise<T> {
  const file = logFile(options);
  const present = existsSync(file);
  if (!present) terminal.note(`Nothing has happened here yet: there is no ${file}`);
  const store = present ? sqliteStore(file) : memoryStore();
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
