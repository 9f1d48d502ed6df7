import type { ChildProcess } from "node:child_process";

const alive = new Set<ChildProcess>();
let watching = false;

/** Remembers a process that leads a group, so that it does not outlive this one. Returns how to forget it. */
export function trackGroup(child: ChildProcess): () => void {
  if (!watching) process.on("exit", () => alive.forEach((each) => killGroup(each, "SIGKILL")));
  watching = true;
  alive.add(child);
  return () => void alive.delete(child);
}

/** Sends a signal to a process and everything that it started in its group. One that is gone is no error. */
export function killGroup(child: ChildProcess, signal: "SIGTERM" | "SIGKILL"): void {
  if (child.pid === undefined) return;
  try {
    // Windows has no process groups: what the program started itself is left there.
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Nothing of it is left.
  }
}
