import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { PegboardError } from "../../core/error.ts";
import { MAX_MESSAGE, type Wire } from "../../sources/mcp/wire.ts";
import { killGroup, trackGroup } from "../process-group.ts";
import { createLineReader } from "./line-reader.ts";

/** The program of a server, ready to be started: no shell, and nothing of the environment but this. */
export interface Program {
  /** In messages. */
  readonly command: string;
  /** Resolves to the program and its arguments; rejects when it must not run. */
  argv(): Promise<readonly string[]>;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

const STDIN_GRACE_MS = 700;
const TERM_GRACE_MS = 700;
/** What a descendant that holds the streams gets after the program has ended. */
const LINGER_MS = 100;
const LAST_WORDS = 2_000;
/** More messages than this in a second that answer nothing are not meant for anybody. */
const MOST_A_SECOND = 5_000;

/**
 * The line to a server that is a program: one JSON message a line. Closing it closes the program's standard input, then
 * tells its whole group to end, then kills it. A line or a flood that is too long ends it.
 */
export function programWire(program: Program): Wire {
  let child: Child | undefined;
  let gone: Promise<void> | undefined;
  let lastWords = "";
  let ending: string | undefined;
  const asked = new Set<unknown>();

  const wire: Wire & { readonly stderr: null; readonly pid: number | null } = {
    // By these two the protocol tells a program from an address.
    stderr: null,
    get pid() {
      return child?.pid ?? null;
    },
    async start() {
      const { command, cwd, env } = program;
      const [path = "", ...args] = await program.argv();
      const started = spawn(path, args, {
        cwd,
        env,
        stdio: ["pipe", "pipe", "pipe"],
        detached: process.platform !== "win32",
      });
      child = started;
      gone = watch(started);
      await new Promise<void>((resolve, reject) => {
        started.once("spawn", resolve);
        started.once("error", (error) =>
          reject(new PegboardError("unavailable", `The program "${command}" cannot be started: ${error.message}`)),
        );
      });
    },
    send(message) {
      const started = child;
      if (!started || started.exitCode !== null || started.stdin.destroyed)
        return Promise.reject(new Error("the program has ended"));
      if ("method" in message && "id" in message) asked.add(message.id);
      return new Promise((resolve, reject) => {
        started.stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
      });
    },
    async close() {
      if (child && gone) await end(child, gone);
    },
    lastWords() {
      const said = lastWords.trim();
      if (ending === undefined) return undefined;
      return said === "" ? ending : `${ending}; it said last: ${said}`;
    },
    hold(yes) {
      if (!child) return;
      const handles = [child, child.stdin, child.stdout, child.stderr] as unknown as Socket[];
      for (const handle of handles) handle[yes ? "ref" : "unref"]?.();
    },
  };

  function watch(started: Child): Promise<void> {
    const release = trackGroup(started);
    const quit = (why: string) => {
      ending ??= why;
      killGroup(started, "SIGKILL");
    };
    const isFlood = createMeter();
    const read = createLineReader(MAX_MESSAGE, (text) => {
      if (ending !== undefined) return;
      const message = parse(text);
      const isAnswer = message !== undefined && !("method" in message) && asked.delete(message.id);
      if (!isAnswer && isFlood()) return quit(`it sent more than ${MOST_A_SECOND} messages in a second`);
      // What is no message is left out: programs greet, and log where they should not.
      if (message && !isIdle(message)) wire.onmessage?.(message);
    });
    started.stdout.on("data", (chunk: Buffer) => {
      if (ending !== undefined) return;
      try {
        read(chunk);
      } catch (error) {
        quit(`it sent too much: ${(error as Error).message}`);
      }
    });
    started.stderr
      .setEncoding("utf8")
      .on("data", (text: string) => (lastWords = (lastWords + text).slice(-LAST_WORDS)));
    for (const stream of [started.stdin, started.stdout, started.stderr]) stream.on("error", () => {});
    return new Promise((resolve) => {
      const over = () => {
        killGroup(started, "SIGKILL");
        release();
        resolve();
        wire.onclose?.();
      };
      started.once("error", over);
      started.once("exit", (code, signal) => {
        ending ??= code === null ? `it was ended by ${signal}` : `it ended with code ${code}`;
        // A descendant in a group of its own may hold the streams for ever.
        const timer = setTimeout(() => closeStreams(started), LINGER_MS);
        started.once("close", () => {
          clearTimeout(timer);
          over();
        });
      });
    });
  }

  return wire;
}

async function end(child: Child, gone: Promise<void>): Promise<void> {
  child.stdin.end();
  const timers = [
    setTimeout(() => killGroup(child, "SIGTERM"), STDIN_GRACE_MS),
    setTimeout(() => killGroup(child, "SIGKILL"), STDIN_GRACE_MS + TERM_GRACE_MS),
  ];
  await gone;
  for (const timer of timers) clearTimeout(timer);
}

function closeStreams({ stdin, stdout, stderr }: Child): void {
  for (const stream of [stdin, stdout, stderr]) stream.destroy();
}

function parse(text: string): Parameters<NonNullable<Wire["onmessage"]>>[0] | undefined {
  try {
    const message: unknown = JSON.parse(text);
    const isOne = typeof message === "object" && message !== null && "jsonrpc" in message;
    return isOne ? (message as Parameters<NonNullable<Wire["onmessage"]>>[0]) : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a message is only for people who read logs. */
function isIdle(message: object): boolean {
  return (message as { method?: unknown }).method === "notifications/message";
}

/** Tells whether there were too many within a second. */
function createMeter(): () => boolean {
  let since = performance.now();
  let count = 0;
  return () => {
    if (performance.now() - since > 1_000) {
      since = performance.now();
      count = 0;
    }
    return ++count > MOST_A_SECOND;
  };
}
