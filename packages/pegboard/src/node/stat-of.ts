import { type Stats, statSync } from "node:fs";

/** What a path leads to, links followed; undefined when it leads nowhere, or round in a circle. */
export function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ELOOP") return undefined;
    throw error;
  }
}
