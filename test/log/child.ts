import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** A Node process of its own. */
export interface Child {
  readonly process: ChildProcess;
  /** The next line of its output; undefined at the end. */
  line(): Promise<string | undefined>;
  /** Everything that it still prints. */
  lines(): Promise<readonly string[]>;
  say(line: string): void;
  /** How it ended. */
  readonly exit: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** What a process is started with, besides its arguments. */
export interface ChildOptions {
  /** Scripts of this folder that run before. */
  readonly preload?: readonly string[];
  /** A command that starts the process, such as `strace`. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly uid?: number;
}

/** Runs a script of this folder, from source. It is gone when the test is over. */
export function start(script: string, args: readonly (string | number)[], options: ChildOptions = {}): Child {
  const { preload = [], under = [], env = {}, uid } = options;
  const imports = preload.map((name) => `--import=${new URL(name, import.meta.url).href}`);
  const node = [process.execPath, "--conditions=pegboard:source", ...imports, place(script), ...args.map(String)];
  const [command = "", ...rest] = [...under, ...node];
  const child = spawn(command, rest, {
    stdio: ["pipe", "pipe", "inherit"],
    // Starting is most of the time of most of these processes.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), "pegboard-compile-cache"), ...env },
    ...(uid !== undefined && { uid, gid: uid }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {});
  const output = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async () => (await output.next()).value as string | undefined;
  return {
    process: child,
    line,
    async lines() {
      const found: string[] = [];
      for (let one = await line(); one !== undefined; one = await line()) found.push(one);
      return found;
    },
    say: (text) => void child.stdin.write(`${text}\n`),
    exit: once(child, "close").then(([code, signal]) => ({ code, signal })),
  };
}

/** The file of a script of this folder. */
function place(script: string): string {
  return fileURLToPath(new URL(script, import.meta.url));
}

/** An empty folder, gone when the test is over. In memory where there is room: what is tested here is no matter of the disk. */
export function emptyFolder(under = existsSync("/dev/shm") ? "/dev/shm" : tmpdir()): string {
  const folder = mkdtempSync(join(under, "pegboard-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
