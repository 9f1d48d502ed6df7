import { spawn } from "node:child_process";
import { chmodSync, lstatSync, mkdtempSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { findBubblewrap } from "../../packages/pegboard/src/node/sandbox/bubblewrap.ts";

/** The repository. Where generated commands run, nothing of it is in its place. */
export const REPOSITORY = fileURLToPath(new URL("../..", import.meta.url));
const MOST_MS = 580_000;

/** A folder for what confined scripts find at hand, removed when it is disposed of. */
export function makeFolder(): Disposable & { readonly path: string } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "pegboard-shell-")));
  chmodSync(path, 0o755);
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/**
 * Asks a script of `inside`, confined: it sees the programs of the system read-only, nothing of people's files, no network,
 * and can write to folders in memory only. One of them has the path of `folder`; what that holds outside is read-only in
 * `/tools/pattern`. Rejects when there is no bubblewrap or the script fails: nothing ever runs unconfined.
 */
export async function askConfined<Answer>(script: string, question: unknown, folder: string): Promise<Answer> {
  const [program, ...args] = await confine(["/tools/node", `/tools/inside/${script}.ts`], folder);
  // Whoever got out of it would be nobody out here, too.
  const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(program!, args, { stdio: "pipe", env: {}, timeout: MOST_MS, killSignal: "SIGKILL", ...nobody });
  const ended = new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve));
  child.stdin.on("error", () => {});
  child.stdin.end(JSON.stringify(question));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (code !== 0) throw new Error(`${script} ended with ${code} in its confinement: ${err.trim()}`);
  return JSON.parse(out) as Answer;
}

async function confine(argv: readonly string[], folder: string): Promise<string[]> {
  const bubblewrap = await findBubblewrap();
  if (!bubblewrap.usable)
    throw new Error(`Nothing of this suite runs unconfined, and ${bubblewrap.reason}: ${bubblewrap.fix}`);
  const flags = [
    ["--unshare-all", "--die-with-parent", "--new-session", "--clearenv", "--setenv", "PATH", "/usr/bin:/bin"],
    ["--cap-drop", "ALL", "--uid", "65534", "--gid", "65534"],
    ["--ro-bind", "/usr", "/usr", "--ro-bind", "/etc", "/etc"],
    ...["/bin", "/sbin", "/lib", "/lib32", "/lib64"].map(systemFolder),
    // Bubblewrap leaves the settings of the kernel open to whoever is root outside.
    ["--dev", "/dev", "--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"],
    ["--tmpfs", "/tmp", "--tmpfs", "/home", "--tmpfs", "/run", "--tmpfs", folder],
    ["--ro-bind", process.execPath, "/tools/node"],
    ["--ro-bind", join(REPOSITORY, "node_modules"), "/tools/node_modules"],
    ["--ro-bind", join(REPOSITORY, "package.json"), "/tools/package.json"],
    ["--ro-bind", join(REPOSITORY, "test", "shell", "inside"), "/tools/inside"],
    ["--ro-bind", folder, "/tools/pattern"],
    ["--remount-ro", "/", "--chdir", folder],
  ];
  const limits = ["--core=0", "--nproc=1024", `--fsize=${64 * 1024 * 1024}`];
  return [bubblewrap.programs.bwrap, ...flags.flat(), "--", "prlimit", ...limits, "--", ...argv];
}

// On most systems these are links into /usr.
function systemFolder(path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return [];
  return found.isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
}
