import { findBubblewrap } from "./bubblewrap.ts";
import type { SandboxSettings } from "./settings.ts";

/** Which sandbox is in force on this machine, in words. */
export interface SandboxReport {
  readonly modules: string;
  readonly commands: string;
  /** What the settings want and this machine cannot do; `fails` when nothing runs because of it. */
  readonly missing?: { readonly reason: string; readonly fix: string; readonly fails: boolean };
}

const MODULES = {
  worker: "worker threads",
  process: "child processes",
  separate: "child processes that see no other process",
  confined: "child processes confined by bubblewrap",
};

/** Says what the settings come to here. Tries bubblewrap, and runs nothing else. */
export async function describeSandbox({ mode, required, network }: SandboxSettings): Promise<SandboxReport> {
  const bubblewrap = await findBubblewrap();
  const { usable } = bubblewrap;
  const inProcesses = !usable || mode === "process" ? "process" : mode === "auto" ? "separate" : "confined";
  const modules = MODULES[mode === "worker" ? "worker" : inProcesses];
  const commands =
    !usable || mode === "process" ? "not confined" : `confined by bubblewrap, ${network ? "with" : "without"} network`;
  if (usable || mode === "process") return { modules, commands };
  return { modules, commands, missing: { reason: bubblewrap.reason, fix: bubblewrap.fix, fails: required } };
}
