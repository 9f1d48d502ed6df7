import { open, rename, rm } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { messageOf, PegboardError } from "../core/error.ts";
import type { Event } from "../core/event.ts";
import { syncFolder } from "./durable-folder.ts";

/**
 * Writes events to a file, one JSON a line, for its owner alone. Whoever looks finds the whole file or what was there
 * before; when it resolves, the file is on disk. Resolves to the number of events. Rejects with `unavailable`.
 */
export async function writeEvents(file: string, pages: AsyncIterable<readonly Event[]>): Promise<number> {
  const path = resolve(file);
  const draft = `${path}.${process.pid}.tmp`;
  try {
    const count = await writeDraft(draft, pages);
    await rename(draft, path);
    syncFolder(dirname(path));
    return count;
  } catch (error) {
    await rm(draft, { force: true });
    if (error instanceof PegboardError) throw error;
    throw new PegboardError("unavailable", `Cannot write ${path}: ${messageOf(error)}`, { cause: error });
  }
}

/** Events as lines of JSON, each with its line end. */
export function toJsonLines(events: readonly Event[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}

async function writeDraft(draft: string, pages: AsyncIterable<readonly Event[]>): Promise<number> {
  let count = 0;
  const handle = await open(draft, "wx", 0o600);
  try {
    for await (const events of pages) {
      await handle.writeFile(toJsonLines(events));
      count += events.length;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  return count;
}
