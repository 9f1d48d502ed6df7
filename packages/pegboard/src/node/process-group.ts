import type { ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

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
    if (isConfiner(child.pid)) return endConfined(child.pid);
    // Windows has no process groups: what the program started itself is left there.
    if (process.platform === "win32") child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Nothing of it is left.
  }
}

/** What starts confined programs, and what becomes it. */
const CONFINERS: ReadonlySet<string> = new Set(["bwrap", "prlimit"]);

function isConfiner(pid: number): boolean {
  return process.platform === "linux" && CONFINERS.has(commandOf(pid)?.name ?? "");
}

/**
 * Ends a confined program. The one that confines it would end at any signal, and take the program along only once both are
 * up: before that the program would be left behind, in a session of its own. So it is held while what it started is ended.
 */
function endConfined(pid: number): void {
  process.kill(-pid, "SIGSTOP");
  for (const name of readdirSync("/proc")) {
    const started = Number(name);
    if (Number.isInteger(started) && commandOf(started)?.parent === pid) process.kill(started, "SIGKILL");
  }
  process.kill(-pid, "SIGKILL");
}

/** The name of a process and who started it; undefined for one that is gone. */
function commandOf(pid: number): { readonly name: string; readonly parent: number } | undefined {
  try {
    const [, name = "", parent] = /^\d+ \((.*)\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
    return { name, parent: Number(parent) };
  } catch {
    return undefined;
  }
}
