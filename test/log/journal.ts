import { appendFileSync, existsSync, readFileSync } from "node:fs";

/** A file of lines outside of the store, where a process notes what it must not forget. A line that was added is on disk. */
export interface Journal {
  add(line: string): void;
}

/** Opens a journal; several processes may hold it. A kill loses no line and tears none. */
export function openJournal(file: string): Journal {
  return { add: (line) => appendFileSync(file, `${line}\n`, { flush: true }) };
}

/** The lines of a journal, in order. */
export function readJournal(file: string): readonly string[] {
  return existsSync(file) ? readFileSync(file, "utf8").split("\n").slice(0, -1) : [];
}
