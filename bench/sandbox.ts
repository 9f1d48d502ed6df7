import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { minimalEnvironment } from "../packages/pegboard/src/node/environment.ts";
import { runProcess } from "../packages/pegboard/src/node/process.ts";
import { findBubblewrap } from "../packages/pegboard/src/node/sandbox/bubblewrap.ts";
import { confine } from "../packages/pegboard/src/node/sandbox/confine.ts";
import { measure, median, ratio } from "./measure.ts";
import { type Report, toTime } from "./report.ts";

/** What confining a command costs. */
export async function sandbox(): Promise<Report> {
  const bubblewrap = await findBubblewrap();
  if (!bubblewrap.usable) throw new Error(bubblewrap.reason);
  const cwd = mkdtempSync(join(tmpdir(), "bench-"));
  const bare = ["/bin/true"];
  const confined = confine(bare, { cwd, write: [cwd], memoryMiB: 4_096 }, bubblewrap.programs);
  const run = (argv: readonly string[]) => async () => {
    const { code } = await runProcess({ argv, cwd, env: minimalEnvironment() });
    if (code !== 0) throw new Error(`${argv[0]} ended with ${code}`);
  };
  const measured = await measure([
    { name: "a command", run: run(bare) },
    { name: "the same, confined by bubblewrap", run: run(confined) },
  ]);
  rmSync(cwd, { recursive: true });
  const [plain, wrapped] = measured;
  return {
    title: "sandbox: running /bin/true",
    table: [["", "time"], ...measured.map(({ name, ns }) => [name, toTime(median(ns))])],
    ratios: [
      { name: "confined / not confined", value: ratio(wrapped, plain) },
      { name: "what confining adds", value: (median(wrapped.ns) - median(plain.ns)) / 1e6, target: 25, unit: " ms" },
    ],
  };
}
