import { type ChildProcess, spawn } from "node:child_process";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { Output, PlainCommand } from "../../tools/shell/syntax/command.ts";
import { findProgram } from "../find-program.ts";
import { killGroup, trackGroup } from "../process-group.ts";

/** What every command of a run shares. */
export interface PipelineDeps {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Fires when everything is to end. */
  readonly signal: AbortSignal;
  readonly graceMs: number;
  /** The command that runs a command confined; the same one when nothing confines it. */
  confine(argv: readonly string[]): Promise<readonly string[]>;
  write(stream: "out" | "err", chunk: Buffer): void;
}

/** How the last command of a pipeline ended. */
export interface Ending {
  readonly code: number;
  readonly signal: NodeJS.Signals | null;
}

const LINGER_MS = 100;
const SILENCE_MS = 500;

/**
 * Runs commands joined by pipes, each in a process group of its own; none is read by a shell. When it is over, nothing of
 * the groups is left. Rejects only when `confine` does.
 */
export async function runPipeline(commands: readonly PlainCommand[], deps: PipelineDeps): Promise<Ending> {
  const plans = await Promise.all(commands.map((command) => plan(command, deps)));
  const started = plans.map((one, index) => start(one, deps, index > 0));
  for (const [index, one] of started.entries()) lead(one, started[index + 1], deps);
  const endings = await endAll(started, deps);
  return endings.at(-1)!;
}

interface Plan {
  readonly command: PlainCommand;
  readonly argv?: readonly string[];
  readonly problem?: { readonly code: number; readonly message: string };
}

async function plan(command: PlainCommand, { cwd, env, confine }: PipelineDeps): Promise<Plan> {
  const [program = "", ...args] = command.argv;
  const found = findProgram(program, cwd, env);
  if ("problem" in found)
    return { command, problem: { code: found.problem === "not_found" ? 127 : 126, message: found.message } };
  return { command, argv: await confine([found.path, ...args]) };
}

/** A command that was started, or one that could not be: that one has ended already and says nothing. */
interface Started {
  readonly command: PlainCommand;
  readonly child?: ChildProcess;
  readonly ended: Promise<Ending>;
}

function start({ command, argv, problem }: Plan, deps: PipelineDeps, fed: boolean): Started {
  const failed = (code: number, message: string): Started => {
    deps.write("err", Buffer.from(`${message}\n`));
    return { command, ended: Promise.resolve({ code, signal: null }) };
  };
  if (!argv) return failed(problem!.code, problem!.message);
  const { stdin, stdout, stderr } = command;
  const to = (output: Output) => (output === "null" ? "ignore" : "pipe");
  const [program, ...args] = argv;
  try {
    const child = spawn(program!, args, {
      cwd: deps.cwd,
      env: deps.env,
      stdio: [fed || stdin !== undefined ? "pipe" : "ignore", to(stdout), to(stderr)],
      detached: process.platform !== "win32",
    });
    child.stdin?.on("error", () => {});
    if (stdin !== undefined) child.stdin!.end(stdin);
    return { command, child, ended: follow(child, deps) };
  } catch (error) {
    // Arguments that no system takes throw here.
    return failed(126, `${program} cannot be started: ${(error as Error).message}`);
  }
}

function follow(child: ChildProcess, { write }: PipelineDeps): Promise<Ending> {
  const release = trackGroup(child);
  let linger: NodeJS.Timeout | undefined;
  return new Promise((resolve) => {
    child.on("error", (error) => {
      release();
      write("err", Buffer.from(`${child.spawnfile} cannot be run: ${error.message}\n`));
      resolve({ code: 126, signal: null });
    });
    // What it left behind in its group must not hold its outputs open.
    child.on("exit", () => void (linger = setTimeout(() => killGroup(child, "SIGKILL"), LINGER_MS)));
    child.on("close", (code, signal) => {
      clearTimeout(linger);
      killGroup(child, "SIGKILL");
      release();
      resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), signal });
    });
  });
}

/** Leads the outputs of a command to the next one, or to whoever keeps them. */
function lead({ command, child }: Started, next: Started | undefined, { write }: PipelineDeps): void {
  const piped: Readable[] = [];
  for (const [stream, output] of [
    [child?.stdout, command.stdout],
    [child?.stderr, command.stderr],
  ] as const) {
    if (!stream) continue;
    if (output === "out" && next) piped.push(stream);
    else stream.on("data", (chunk: Buffer) => write(output === "out" ? "out" : "err", chunk));
  }
  if (next) feed(piped, next.command.stdin === undefined ? next.child?.stdin : undefined);
}

function feed(streams: readonly Readable[], sink: Writable | null | undefined): void {
  if (!sink) return streams.forEach((stream) => stream.destroy());
  let open = streams.length;
  if (open === 0) sink.end();
  for (const stream of streams) {
    stream.pipe(sink, { end: false });
    stream.on("close", () => void (--open === 0 && sink.end()));
    // A reader that has had enough ends the writer, as with a pipe of the system.
    sink.on("close", () => stream.destroy());
  }
}

async function endAll(started: readonly Started[], { signal, graceMs }: PipelineDeps): Promise<Ending[]> {
  const children = started.flatMap(({ child }) => child ?? []);
  let killing: NodeJS.Timeout | undefined;
  const stop = () => {
    for (const child of children) killGroup(child, "SIGTERM");
    killing = setTimeout(() => children.forEach((child) => killGroup(child, "SIGKILL")), graceMs);
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop);
  const watching = watchSilence(children);
  const endings = await Promise.all(started.map(({ ended }) => ended));
  signal.removeEventListener("abort", stop);
  clearTimeout(killing);
  clearInterval(watching);
  return endings;
}

// Something that left its group may hold an output open for ever: once all have ended and nothing comes, nobody waits.
function watchSilence(children: readonly ChildProcess[]): NodeJS.Timeout {
  let heardAt = performance.now();
  const streams = children.flatMap(({ stdout, stderr }) => [stdout, stderr]).filter((stream) => stream !== null);
  for (const stream of streams) stream.on("data", () => void (heardAt = performance.now()));
  return setInterval(() => {
    const over = children.every(({ exitCode, signalCode }) => exitCode !== null || signalCode !== null);
    if (over && performance.now() - heardAt > SILENCE_MS) for (const stream of streams) stream.destroy();
  }, SILENCE_MS);
}
