import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { modernCall, post, send } from "./requests.ts";

/** A server in a process of its own. */
export interface SlowServer {
  readonly child: ChildProcess;
  readonly port: number;
  /** The most memory that it has had since `warm`, above what it had then, in bytes. */
  cost(): Promise<number>;
  warm(): Promise<void>;
}

/** Starts the process for one door: `mcp`, `native` and `acp` are lines, anything else a port. */
export function startProcess(door: string): ChildProcess {
  const server = fileURLToPath(new URL("slow-server.ts", import.meta.url));
  return spawn(process.execPath, ["--conditions=pegboard:source", server, door], {
    stdio: ["pipe", "pipe", "inherit"],
  });
}

/** The most memory that a process has had, in bytes. */
export async function peakOf({ pid }: ChildProcess): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}

/** Starts a server at a port. */
export async function startSlowServer(): Promise<SlowServer> {
  const child = startProcess("http");
  const port = Number((await once(child.stdout!, "data"))[0]);
  let before = 0;
  return {
    child,
    port,
    cost: async () => (await peakOf(child)) - before,
    // What one call needs at most is not what is meant here.
    async warm() {
      const session = await openSession(port);
      for (let id = 1; id <= 20; id++) {
        await (await send(port, modernCall(id, "long"))).text();
        await (await send(port, post(`/v1/sessions/${session}/tools/megabyte`, {}))).text();
      }
      before = await peakOf(child);
    },
  };
}

/** Opens a session of our own protocol. */
export async function openSession(port: number): Promise<string> {
  const { session } = (await (await send(port, post("/v1/sessions", {}))).json()) as { session: string };
  return session;
}
