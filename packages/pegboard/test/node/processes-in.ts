import { readdirSync, readFileSync, readlinkSync } from "node:fs";

/** The numbers of the processes that run in a folder. */
export function processesIn(folder: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      const isThere = /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
      return isThere && !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
    } catch {
      return false;
    }
  });
}
