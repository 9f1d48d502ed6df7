import { type ChildProcess, spawn } from "node:child_process";
import { statSync } from "node:fs";
import { findProgram } from "./find-program.ts";
import { killGroup, trackGroup } from "./process-group.ts";

/** One run of a program. */
export interface ProcessOptions {
  /** The program and its arguments. No shell reads them. */
  readonly argv: readonly string[];
  readonly cwd: string;
  /** All that the program sees of the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Written to its standard input, which is closed then. */
  readonly stdin?: string;
  /** Ends the run early. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  /** How long the program has to clean up between being told to end and being killed. */
  readonly graceMs?: number;
  /** How many bytes are kept of each stream: the first of standard output, the last of standard error. */
  readonly maxBytes?: number;
  /** What more output does: `kill` ends the run, `drop` leaves the rest out. */
  readonly overflow?: "kill" | "drop";
  /** Every chunk as it comes, also what is not kept. Must not throw. */
  onStdout?(chunk: Buffer): void;
  onStderr?(chunk: Buffer): void;
}

/** How a run ended. */
export interface ProcessOutcome {
  /** The exit code; 127 and 126 also when the program was not found or cannot be run. Null when a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: Output;
  readonly stderr: Output;
  /** Why it was ended early. */
  readonly ended?: "timeout" | "cancelled" | "overflow";
  /** Why it was not even started. */
  readonly problem?: { readonly kind: "not_found" | "not_executable" | "not_started"; readonly message: string };
}

/** What a program wrote to one stream. */
export interface Output {
  readonly bytes: Buffer;
  /** How many there were. */
  readonly total: number;
}

const GRACE_MS = 2_000;
const MAX_BYTES = 16 * 1024 * 1024;
// What the program left behind when it ended gets so long to end by itself.
const LINGER_MS = 100;

/**
 * Runs a program in a process group of its own. When the run ends, for whatever reason, nothing of the group is left: it
 * is told to end, then killed. Never rejects: a program that cannot be started is an outcome with a `problem`.
 */
export function runProcess(options: ProcessOptions): Promise<ProcessOutcome> {
  const { argv, cwd, env, signal, timeoutMs, graceMs = GRACE_MS, overflow = "drop", maxBytes = MAX_BYTES } = options;
  const [program = "", ...args] = argv;
  const stdout = collect(maxBytes, "first");
  const stderr = collect(maxBytes, "last");
  const unstarted = (kind: NonNullable<ProcessOutcome["problem"]>["kind"], message: string): ProcessOutcome => {
    const code = kind === "not_found" ? 127 : 126;
    return { code, signal: null, stdout: stdout.output(), stderr: stderr.output(), problem: { kind, message } };
  };
  const found = findProgram(program, cwd, env);
  if ("problem" in found) return Promise.resolve(unstarted(found.problem, found.message));
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    return Promise.resolve(unstarted("not_started", `There is no folder ${cwd}`));
  if (signal?.aborted)
    return Promise.resolve({
      ...unstarted("not_started", "The run was cancelled before it began"),
      ended: "cancelled",
    });

  return new Promise((resolve) => {
    let child: ChildProcess;
    try {
      child = spawn(found.path, args, {
        argv0: program,
        cwd,
        env,
        stdio: "pipe",
        detached: process.platform !== "win32",
      });
    } catch (error) {
      // Arguments that no system takes, such as a NUL character, throw here.
      return resolve(
        unstarted("not_started", `The program "${program}" cannot be started: ${(error as Error).message}`),
      );
    }
    const release = trackGroup(child);
    const timers: NodeJS.Timeout[] = [];
    let ended: ProcessOutcome["ended"];

    const stop = (why: NonNullable<ProcessOutcome["ended"]>, grace: number) => {
      if (ended) return;
      ended = why;
      killGroup(child, grace > 0 ? "SIGTERM" : "SIGKILL");
      timers.push(setTimeout(() => reap(), grace));
    };
    const reap = () => {
      killGroup(child, "SIGKILL");
      // A descendant in a group of its own may hold the pipes for ever.
      timers.push(setTimeout(() => closeStreams(child), LINGER_MS));
    };
    const cancel = () => stop("cancelled", graceMs);
    const finish = (outcome: ProcessOutcome) => {
      for (const timer of timers) clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
      release();
      resolve({ ...outcome, ...(ended && { ended }) });
    };

    signal?.addEventListener("abort", cancel, { once: true });
    if (timeoutMs !== undefined) timers.push(setTimeout(() => stop("timeout", graceMs), timeoutMs));
    child.stdin!.on("error", () => {});
    child.stdin!.end(options.stdin ?? "");
    child.stdout!.on("data", (chunk: Buffer) => {
      options.onStdout?.(chunk);
      if (stdout.add(chunk) && overflow === "kill") stop("overflow", 0);
    });
    child.stderr!.on("data", (chunk: Buffer) => {
      options.onStderr?.(chunk);
      stderr.add(chunk);
    });
    child.on("error", (error: NodeJS.ErrnoException) => finish(unstarted(...toStartProblem(program, error))));
    child.on("exit", () => timers.push(setTimeout(reap, LINGER_MS)));
    child.on("close", (code, killedBy) => {
      killGroup(child, "SIGKILL");
      finish({ code, signal: killedBy, stdout: stdout.output(), stderr: stderr.output() });
    });
  });
}

function toStartProblem(
  program: string,
  { code, message }: NodeJS.ErrnoException,
): [NonNullable<ProcessOutcome["problem"]>["kind"], string] {
  if (code === "ENOENT")
    return ["not_found", `The program "${program}" was not found: what it names as its interpreter is not there`];
  if (code === "EACCES") return ["not_executable", `The program "${program}" cannot be run: permission denied`];
  if (code === "E2BIG")
    return ["not_started", `The program "${program}" cannot be started: its arguments and environment are too long`];
  return ["not_started", `The program "${program}" cannot be started: ${message}`];
}

function closeStreams({ stdin, stdout, stderr }: ChildProcess): void {
  for (const stream of [stdin, stdout, stderr]) stream?.destroy();
}

function collect(maxBytes: number, keep: "first" | "last") {
  const chunks: Buffer[] = [];
  let held = 0;
  let total = 0;
  return {
    /** Whether there is more than can be kept. */
    add(chunk: Buffer): boolean {
      total += chunk.length;
      if (keep === "last" || held < maxBytes) {
        chunks.push(chunk);
        held += chunk.length;
      }
      while (keep === "last" && held - chunks[0]!.length >= maxBytes) held -= chunks.shift()!.length;
      return total > maxBytes;
    },
    output(): Output {
      const bytes = Buffer.concat(chunks);
      return { bytes: keep === "last" ? bytes.subarray(-maxBytes) : bytes.subarray(0, maxBytes), total };
    },
  };
}
