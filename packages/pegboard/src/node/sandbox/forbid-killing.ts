import { isMainThread } from "node:worker_threads";

/**
 * Refuses signals to the process around this one. Code that wants to can get around it: it keeps accidents and simple
 * attacks out, where only a process table of its own is a wall.
 */
export function forbidKilling(): void {
  const { kill, pid: own, ppid: outer } = process;
  process.kill = (pid, signal) => {
    // In a thread, the process around it is its own.
    const isOuter = [outer, -outer, -1].includes(pid) || (!isMainThread && [own, -own, 0].includes(pid));
    if (isOuter && signal !== 0)
      throw Object.assign(new Error(`kill EPERM: a tool may not signal process ${pid}`), { code: "EPERM" });
    return kill.call(process, pid, signal);
  };
}
