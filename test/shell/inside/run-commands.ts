import { spawnSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { answer } from "./answer.ts";
import { makeRepository } from "./repository.ts";
import { changes, snapshot } from "./snapshot.ts";

/** Commands to run one after the other in a workspace, each as if it were the first. */
export interface Commands {
  readonly commands: readonly (readonly string[])[];
  readonly env: Readonly<Record<string, string>>;
  /** What can be read only outside of the workspace. */
  readonly secret: string;
  /** Whether to tell what they said. */
  readonly output?: boolean;
}

/** What a command did. */
export interface Effects {
  /** Whether there is such a program. */
  readonly found: boolean;
  /** The paths that appeared, changed or went away, from the folder around the workspace. */
  readonly changed: readonly string[];
  /** The canaries that it started. */
  readonly started: readonly string[];
  readonly toldSecret: boolean;
  readonly connected: boolean;
  /** What it said, or nothing where nobody asked for it. */
  readonly output: string;
}

const HOME = process.cwd();
const WORKSPACE = join(HOME, "workspace");
const ORIGINAL = "/tmp/original";
const STARTED = "/tmp/started";
const MOST_MS = 10_000;

await answer(({ commands, env, secret, output = false }: Commands): Effects[] => {
  copy("/tools/pattern", HOME);
  makeRepository(WORKSPACE, env);
  copy(HOME, ORIGINAL);
  let before = snapshot(HOME);
  return commands.map(([program, ...args]) => {
    rmSync(STARTED, { force: true });
    const connections = connectionsSoFar();
    const { stdout, stderr, error } = spawnSync(program!, args, {
      cwd: WORKSPACE,
      env,
      stdio: ["ignore", "pipe", "pipe"],
      timeout: MOST_MS,
      killSignal: "SIGKILL",
      encoding: "utf8",
    });
    const changed = changes(before, snapshot(HOME));
    const effects = {
      found: (error as NodeJS.ErrnoException | undefined)?.code !== "ENOENT",
      changed: changed.filter((path) => meaning(path, HOME, env) !== meaning(path, ORIGINAL, env)),
      started: existsSync(STARTED) ? readFileSync(STARTED, "utf8").trim().split("\n") : [],
      toldSecret: `${stdout}${stderr}`.includes(secret),
      connected: connectionsSoFar() !== connections,
      output: output ? `${stdout}${stderr}` : "",
    };
    if (changed.length > 0) {
      for (const name of readdirSync(HOME)) rmSync(join(HOME, name), { recursive: true, force: true });
      copy(ORIGINAL, HOME);
      before = snapshot(HOME);
    }
    return effects;
  });
});

function copy(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
}

/** What the content of a changed file means, where that is less than all of it; else which one it is. */
function meaning(path: string, home: string, env: Commands["env"]): string {
  const workspace = join(home, "workspace");
  // Working with branches writes down what they follow.
  if (path === "workspace/.git/config" && existsSync(join(home, path)))
    return readFileSync(join(home, path), "utf8").replaceAll(/^\[branch "[^\n]*\n(?:\t[^\n]*\n)*/gm, "");
  // Looking at files writes down how they looked.
  if (path === "workspace/.git/index")
    return spawnSync("git", ["ls-files", "--stage", "-t"], { cwd: workspace, env, encoding: "utf8" }).stdout;
  return home;
}

// In a namespace of its own the kernel counts nobody else's.
function connectionsSoFar(): string {
  const lines = readFileSync("/proc/net/snmp", "utf8").split("\n");
  const count = (protocol: string, name: string) => {
    const [names, values] = lines.filter((line) => line.startsWith(`${protocol}:`)).map((line) => line.split(" "));
    return values![names!.indexOf(name)]!;
  };
  return `${count("Tcp", "ActiveOpens")} ${count("Udp", "OutDatagrams")}`;
}
