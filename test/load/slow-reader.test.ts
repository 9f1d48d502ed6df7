import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const CALLS = 1_024;
const MEGABYTE = 1024 * 1024;

/** The most memory that a process has had, in bytes. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)![1]) * 1024;
}

it("costs little memory when a client asks for a gigabyte and does not read, who gets all of it later", async () => {
  const server = fileURLToPath(new URL("slow-reader-server.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=pegboard:source", server], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const call = (id: number) => send({ id, method: "tools/call", params: { name: "megabyte", arguments: {} } });
  const lines = createInterface(child.stdout);
  const next = async () => (await once(lines, "line"))[0] as string;
  const clientInfo = { name: "load", version: "1.0.0" };
  send({ id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } });
  await next();
  send({ method: "notifications/initialized" });
  // What one call needs at most is not what is meant here.
  for (let id = -20; id < 0; id++) {
    call(id);
    await next();
  }
  const before = await peakOf(child.pid!);
  lines.pause();
  for (let id = 1; id <= CALLS; id++) call(id);
  await sleep(3_000);
  const cost = (await peakOf(child.pid!)) - before;
  const answered = new Set<number>();
  let bytes = 0;
  const all = Promise.withResolvers<void>();
  lines.on("line", (line) => {
    bytes += line.length;
    answered.add((JSON.parse(line) as { id: number }).id);
    if (answered.size === CALLS) all.resolve();
  });
  lines.resume();
  await all.promise;
  expect(bytes).toBeGreaterThan(CALLS * MEGABYTE);
  expect(cost).toBeLessThan(64 * MEGABYTE);
});
