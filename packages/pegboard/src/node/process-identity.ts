import { readFileSync } from "node:fs";
import { hostname } from "node:os";

/** A name for this process that no other process gets, also not a later one with the same number. */
export function processIdentity(): string {
  return `${hostname()}/${process.pid}/${startOf(process.pid) ?? ""}`;
}

/** Whether the process of this name is still there. One on another machine counts as alive: nobody here can tell. */
export function isProcessAlive(identity: string): boolean {
  const [host, pid, start] = identity.split("/");
  if (host !== hostname()) return true;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return (startOf(Number(pid)) ?? "") === start;
}

// The 22nd field: when the process started. What stands before it may hold blanks, but ends with a bracket.
function startOf(pid: number): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ")[19];
  } catch {
    return undefined;
  }
}
