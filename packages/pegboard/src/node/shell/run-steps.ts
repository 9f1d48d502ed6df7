import type { Step } from "../../tools/shell/syntax/command.ts";
import { type Ending, type PipelineDeps, runPipeline } from "./pipeline.ts";

/** How steps are run. */
export interface RunOptions extends Pick<PipelineDeps, "cwd" | "env" | "confine"> {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** How long what is told to end has to do so before it is killed. */
  readonly graceMs?: number;
  /** How many bytes are kept of each output: the first. */
  readonly maxBytes?: number;
  /** Every line as it comes. Must not throw. */
  onLine?(line: string): void;
}

/** How a run ended, and what it wrote. */
export interface RunOutcome extends Ending {
  readonly stdout: string;
  readonly stderr: string;
  /** How many bytes were left out. */
  readonly dropped: number;
  /** Why it was ended early. */
  readonly ended?: "timeout" | "cancelled";
}

const GRACE_MS = 2_000;
const MAX_BYTES = 8 * 1024 * 1024;

/**
 * Runs steps one after the other, each on the outcome of the one before, as a shell would. The outcome is that of the last
 * one that ran. When time is up or the signal fires, everything is told to end, then killed. Rejects when `confine` does.
 */
export async function runSteps(steps: readonly Step[], options: RunOptions): Promise<RunOutcome> {
  const { signal, timeoutMs, graceMs = GRACE_MS, maxBytes = MAX_BYTES, onLine } = options;
  const over = new AbortController();
  let ended: RunOutcome["ended"];
  const end = (why: NonNullable<RunOutcome["ended"]>) => {
    ended ??= why;
    over.abort();
  };
  const cancel = () => end("cancelled");
  if (signal.aborted) cancel();
  signal.addEventListener("abort", cancel);
  const timer = setTimeout(() => end("timeout"), timeoutMs);
  const kept = { out: collect(maxBytes), err: collect(maxBytes) };
  const lines = onLine && toLines(onLine);
  const write: PipelineDeps["write"] = (stream, chunk) => {
    kept[stream].add(chunk);
    lines?.(chunk);
  };
  let last: Ending = { code: 0, signal: null };
  try {
    for (const { when, commands } of steps) {
      if (over.signal.aborted) break;
      if (when === "always" || (when === "success") === (last.code === 0))
        last = await runPipeline(commands, { ...options, signal: over.signal, graceMs, write });
    }
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
  }
  return {
    ...last,
    stdout: kept.out.text(),
    stderr: kept.err.text(),
    dropped: kept.out.dropped + kept.err.dropped,
    ...(ended && { ended }),
  };
}

function collect(maxBytes: number) {
  const chunks: Buffer[] = [];
  let held = 0;
  let dropped = 0;
  return {
    get dropped() {
      return dropped;
    },
    add(chunk: Buffer): void {
      const fitting = chunk.subarray(0, maxBytes - held);
      if (fitting.length > 0) chunks.push(fitting);
      held += fitting.length;
      dropped += chunk.length - fitting.length;
    },
    text: () => Buffer.concat(chunks).toString(),
  };
}

const MAX_LINE = 1_000;

function toLines(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest = "";
  return (chunk) => {
    const lines = (rest + chunk.toString()).split("\n");
    rest = lines.pop()!.slice(0, MAX_LINE);
    const line = lines.findLast((one) => one.trim() !== "");
    // Progress is thinned out anyway: of many lines that come at once, the last one tells most.
    if (line !== undefined) onLine(line.slice(0, MAX_LINE));
  };
}
