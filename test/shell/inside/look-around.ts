import { closeSync, constants, existsSync, openSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { answer } from "./answer.ts";

/** What to try: paths to write to, paths to see, a port on which somebody listens outside. */
export interface Attempts {
  readonly write: readonly string[];
  readonly see: readonly string[];
  readonly port: number;
}

/** What came of it. */
export interface Surroundings {
  /** Those that could be opened for writing. Nothing is written. */
  readonly written: readonly string[];
  readonly seen: readonly string[];
  readonly connected: boolean;
  readonly interfaces: readonly string[];
  /** What is mounted so that it can be written. */
  readonly writable: readonly string[];
  readonly capabilities: string;
  readonly user: number;
}

await answer(async ({ write, see, port }: Attempts): Promise<Surroundings> => ({
  written: write.filter(canWrite),
  seen: see.filter((path) => existsSync(path)),
  connected: await canConnect(port),
  interfaces: readFileSync("/proc/net/dev", "utf8")
    .split("\n")
    .flatMap((line) => /^\s*(\w+):/.exec(line)?.[1] ?? []),
  writable: readFileSync("/proc/self/mountinfo", "utf8")
    .trim()
    .split("\n")
    .map((line) => line.split(" "))
    .filter((fields) => fields[5]!.split(",").includes("rw"))
    .map((fields) => fields[4]!),
  capabilities: /^CapBnd:\s*(\w+)/m.exec(readFileSync("/proc/self/status", "utf8"))![1]!,
  user: process.getuid!(),
}));

function canWrite(path: string): boolean {
  try {
    // A file that is not there would be made; one that is there must stay as it is, should the confinement not hold.
    closeSync(openSync(path, constants.O_WRONLY | (existsSync(path) ? 0 : constants.O_CREAT)));
    return true;
  } catch {
    return false;
  }
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true));
    socket.on("connect", () => socket.destroy()).on("error", () => resolve(false));
  });
}
