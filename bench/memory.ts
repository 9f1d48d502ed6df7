import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "./measure.ts";
import type { Grown, Subject } from "./memory-child.ts";
import { type Report, toSize } from "./report.ts";

const SUBJECTS: readonly { readonly subject: Subject; readonly name: string; readonly targetMb?: number }[] = [
  { subject: "tools", name: "10,000 tools", targetMb: 50 },
  { subject: "listed", name: "10,000 tools, listed once" },
  { subject: "mcp-tools", name: "10,000 tools in a server of the MCP SDK 2" },
  { subject: "sessions", name: "1,000 idle sessions", targetMb: 30 },
  { subject: "used-sessions", name: "1,000 idle sessions after a call each" },
];

const RUNS = 3;

/** What tools and sessions weigh that are only there. */
export async function memory(): Promise<Report> {
  const rows = SUBJECTS.map((row) => ({ ...row, ...weigh(row.subject) }));
  return {
    title: "memory: by how much a process with an empty runtime grows; the tools' own definitions count",
    table: [["", "heap", "RSS"], ...rows.map(({ name, heap, rss }) => [name, toSize(heap), toSize(rss)])],
    ratios: rows
      .filter(({ targetMb }) => targetMb !== undefined)
      .map(({ name, heap, rss, targetMb }) => ({
        name: `${name}, the larger of heap and RSS`,
        value: Math.max(heap, rss) / 1e6,
        target: targetMb!,
        unit: " MB",
      })),
    notes: ["Heap is what is alive. RSS also holds the pages that the making of it left free."],
  };
}

/** What a subject weighs. Always in a fresh process: a heap that was large once keeps its pages. */
export function weigh(subject: Subject): Grown {
  const child = fileURLToPath(new URL("./memory-child.ts", import.meta.url));
  const run = () => execFileSync(process.execPath, [...process.execArgv, child, subject], { encoding: "utf8" });
  const runs = Array.from({ length: RUNS }, () => JSON.parse(run()) as Grown);
  return { heap: median(runs.map(({ heap }) => heap)), rss: median(runs.map(({ rss }) => rss)) };
}
