import { Worker } from "node:worker_threads";
import { type Channel, type ChannelListener, INSIDE } from "./channel.ts";

/** How a worker thread is made. */
export interface WorkerOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly heapMiB: number;
  /** Whether native code can be loaded in it; absent is yes. */
  readonly addons?: boolean;
}

const GRACE_MS = 500;

/** Starts a worker thread for tools. */
export function openWorker({ env, heapMiB, addons = true }: WorkerOptions, listener: ChannelListener): Channel {
  const worker = new Worker(INSIDE, {
    env,
    resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    execArgv: ["--disable-warning=ExperimentalWarning", ...(addons ? [] : ["--no-addons"])],
    stdout: true,
    stderr: true,
  });
  let reason: string | undefined;
  let over!: () => void;
  const gone = new Promise<void>((resolve) => (over = resolve));
  worker.on("message", (message) => listener.message(message));
  worker.on("error", (error: Error & { code?: string }) => {
    reason = error.code === "ERR_WORKER_OUT_OF_MEMORY" ? "it ran out of memory" : `it failed: ${error.message}`;
  });
  worker.on("exit", (code) => {
    listener.ended(reason ?? `it ended with exit code ${code}`);
    over();
  });
  for (const stream of [worker.stdout, worker.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => listener.output(text));

  return {
    send: (message) => worker.postMessage(message),
    async close() {
      worker.postMessage({ type: "end" });
      const timer = setTimeout(() => void worker.terminate(), GRACE_MS);
      await gone;
      clearTimeout(timer);
    },
    kill: () => void worker.terminate(),
    hold: (yes) => (yes ? worker.ref() : worker.unref()),
  };
}
