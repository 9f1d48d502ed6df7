// A process of its own that waits for several things at once and prints how long each took by a clock that cannot jump:
// node clock-worker.ts FOLDER.
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createRuntime, defineTool } from "pegboard";
import { sqliteStore } from "pegboard/node";

const WAIT_MS = 1_000;
/** Longer than a timer of Node can be. */
const AGES = [2 ** 31, 1e99];

const [folder = ""] = process.argv.slice(2);
const any = { type: "object" } as const;
const hangs = (timeoutMs: number) =>
  defineTool({
    name: `hangs-${timeoutMs}`.replace("+", ""),
    description: "Never ends",
    input: any,
    approval: "preApproved",
    timeoutMs,
    execute: () => new Promise<string>(() => {}),
  });
const patient = AGES.map((timeoutMs, index) =>
  defineTool({
    name: `patient-${index}`,
    description: "Takes a while",
    input: any,
    approval: "preApproved",
    timeoutMs,
    execute: () => setTimeout(WAIT_MS, "done"),
  }),
);
const asks = defineTool({ name: "asks", description: "Needs approval", input: any, execute: () => "done" });
const store = sqliteStore(join(folder, "pegboard.db"));
const runtime = (approvalMs: number) =>
  createRuntime({ store, tools: [hangs(WAIT_MS), ...patient, asks], approve: "wait", limits: { approvalMs } });

const session = runtime(WAIT_MS).open({ id: "a" });
const patientSessions = AGES.map((approvalMs) => runtime(approvalMs).open());
// So that the clock is asked before it jumps, and the store is set up.
await session.call("vfs_list");
const cpu = process.cpuUsage();
const measured = await Promise.all([
  measure(() => session.call(`hangs-${WAIT_MS}`)),
  measure(() => session.call("asks")),
  ...AGES.map((_, index) => measure(() => session.call(`patient-${index}`))),
  ...patientSessions.map((other) =>
    measure(async () => {
      const done = other.call("asks");
      await setTimeout(WAIT_MS);
      other.answer(other.pending[0]!.id, { decision: "allow" });
      return done;
    }),
  ),
]);
const { user, system } = process.cpuUsage(cpu);
for (const index of Array.from({ length: 20 }, (_, number) => number))
  await session.call("vfs_write", { path: "a", content: String(index) });
const seqs = (await store.read({ session: "a" })).map(({ seq }) => seq);
const { clockReads } = globalThis as { clockReads?: number };
process.stdout.write(`${JSON.stringify({ measured, cpuMs: (user + system) / 1_000, seqs, clockReads })}\n`);
process.exit();

async function measure(work: () => Promise<{ readonly error?: { readonly code: string } }>) {
  const started = performance.now();
  const { error } = await work();
  return { code: error?.code ?? "ok", ms: performance.now() - started };
}
