import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** A network of its own, in which every address there is leads to this machine. */
export interface Namespace extends Disposable {
  /** Starts a TypeScript program of this folder in it. */
  start(program: string, env?: Readonly<Record<string, string>>): Program;
}

/** A program that answers one line with one line. */
export interface Program {
  ask(question: unknown): Promise<unknown>;
}

/** Where the names of the network are resolved. */
export const NAME_SERVER = "10.53.53.53";

/** Makes a network namespace. Throws what `ip` says when the kernel or the rights do not allow it. */
export function createNamespace(): Namespace {
  const name = `pegboard-${process.pid}`;
  const etc = join("/etc/netns", name);
  const children: ChildProcess[] = [];
  const ip = (...args: string[]) => execFileSync("ip", args, { stdio: "pipe" });
  const dispose = () => {
    for (const child of children) child.kill("SIGKILL");
    rmSync(etc, { recursive: true, force: true });
    execFileSync("ip", ["netns", "delete", name], { stdio: "pipe" });
  };
  ip("netns", "add", name);
  try {
    ip("-n", name, "link", "set", "lo", "up");
    // Whatever is sent to any address arrives at this machine, which can then tell.
    ip("-n", name, "route", "add", "local", "default", "dev", "lo");
    ip("-n", name, "-6", "route", "add", "local", "default", "dev", "lo");
    mkdirSync(etc, { recursive: true });
    writeFileSync(join(etc, "resolv.conf"), `nameserver ${NAME_SERVER}\noptions timeout:1 attempts:1\n`);
    writeFileSync(join(etc, "hosts"), "127.0.0.1 localhost\n::1 ip6-localhost\n");
  } catch (error) {
    dispose();
    throw error;
  }
  return {
    start(program, env = {}) {
      const node = [process.execPath, "--conditions=pegboard:source", join(import.meta.dirname, program)];
      const child = spawn("ip", ["netns", "exec", name, ...node], {
        stdio: ["pipe", "pipe", "inherit"],
        env: { ...process.env, ...env },
      });
      children.push(child);
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
      return {
        async ask(question) {
          child.stdin.write(`${JSON.stringify(question)}\n`);
          const { value, done } = await lines.next();
          if (done) throw new Error(`${program} ended`);
          return JSON.parse(value) as unknown;
        },
      };
    },
    [Symbol.dispose]: dispose,
  };
}
