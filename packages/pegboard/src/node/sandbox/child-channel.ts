import { spawn } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { PegboardError } from "../../core/error.ts";
import { killGroup, trackGroup } from "../process-group.ts";
import { type Channel, type ChannelListener, describeEnd, INSIDE } from "./channel.ts";
import { createFrameReader, toFrame } from "./frames.ts";

/** How a child process is made. */
export interface ChildOptions {
  /** Turns the command into the one that is run: with limits, or confined. */
  wrap(argv: readonly string[]): readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly heapMiB: number;
  /** Whether native code can be loaded in it; absent is yes. */
  readonly addons?: boolean;
}

const GRACE_MS = 500;
const LAST_WORDS_MS = 50;

/** Starts a child process for tools, in a group of its own; messages pass through a pipe besides the standard streams. */
export function openChild(
  { wrap, env, cwd, heapMiB, addons = true }: ChildOptions,
  listener: ChannelListener,
): Channel {
  const argv = wrap([
    process.execPath,
    `--max-old-space-size=${heapMiB}`,
    "--disable-warning=ExperimentalWarning",
    ...(addons ? [] : ["--no-addons"]),
    fileURLToPath(INSIDE),
  ]);
  const child = spawn(argv[0]!, argv.slice(1), {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: process.platform !== "win32",
  });
  const release = trackGroup(child);
  const line = child.stdio[3] as Socket;
  let isOver = false;
  let over!: () => void;
  const gone = new Promise<void>((resolve) => (over = resolve));
  const end = (reason: string) => {
    if (isOver) return;
    isOver = true;
    killGroup(child, "SIGKILL");
    listener.ended(reason);
  };

  const read = createFrameReader((message) => listener.message(message));
  line.on("data", (chunk: Buffer) => {
    if (isOver) return;
    try {
      read(chunk);
    } catch (error) {
      end(`it sent something that is no message (${(error as Error).message})`);
    }
  });
  line.on("error", () => {});
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => listener.output(text));
  child.on("error", (error) => {
    end(`it could not be started: ${error.message}`);
    over();
  });
  child.on("exit", (code, signal) => {
    const conclude = () => {
      end(describeEnd(code, signal));
      release();
      over();
    };
    // Its last words may still be on the way; a descendant that keeps the line open must not hold us up.
    const timer = setTimeout(conclude, LAST_WORDS_MS);
    line.once("close", () => {
      clearTimeout(timer);
      conclude();
    });
    if (line.destroyed) line.emit("close");
  });

  return {
    send(message) {
      const frame = toFrame(message);
      if (!frame) throw new PegboardError("invalid_input", "The input is too big for a tool in a process of its own");
      if (!isOver) line.write(frame);
    },
    async close() {
      isOver = true;
      line.end();
      const timer = setTimeout(() => killGroup(child, "SIGKILL"), GRACE_MS);
      await gone;
      clearTimeout(timer);
      killGroup(child, "SIGKILL");
    },
    kill: () => killGroup(child, "SIGKILL"),
    hold(yes) {
      const handles = [child, line, child.stdout as Socket, child.stderr as Socket];
      for (const handle of handles) handle[yes ? "ref" : "unref"]();
    },
  };
}
