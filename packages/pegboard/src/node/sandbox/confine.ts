import { existsSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, resolve } from "node:path";

/** What a confined program may touch. */
export interface Confinement {
  readonly cwd: string;
  /** Folders that it may write. */
  readonly write?: readonly string[];
  /** What it may read although it lies where nothing can be seen: the home folder and those for temporary files. */
  readonly read?: readonly string[];
  /** What it may only read although it lies in a folder that it may write. */
  readonly protect?: readonly string[];
  /** What it does not get to see, wherever it lies. */
  readonly hide?: readonly string[];
  readonly network?: boolean;
  readonly memoryMiB?: number;
}

/** The programs that confine others. */
export interface ConfiningPrograms {
  readonly bwrap: string;
  /** Sets limits of memory and processes; without it there are none. */
  readonly prlimit?: string;
}

/**
 * The command that runs a command confined by bubblewrap: the whole system read-only, home and temporary folders empty,
 * no network and no other processes in sight, no capabilities. Where paths lie in each other, the innermost decides.
 * The environment is that of the caller: it must be a minimal one.
 */
export function confine(argv: readonly string[], options: Confinement, programs: ConfiningPrograms): string[] {
  const { network = false, memoryMiB } = options;
  const flags = [
    ["--unshare-all"],
    network ? ["--share-net"] : [],
    ["--die-with-parent"],
    ["--new-session"],
    ["--cap-drop", "ALL"],
    ["--ro-bind", "/", "/"],
    ["--dev", "/dev"],
    ["--proc", "/proc"],
    // Root owns the kernel's settings, with or without capabilities: one of them names a program that runs outside.
    ...KERNEL.flatMap((path) => (existsSync(path) ? [["--ro-bind", path, path]] : [])),
    ...mounts(argv, options).map(toArguments),
    ["--setenv", "TMPDIR", "/tmp"],
    ["--chdir", real(options.cwd)],
  ];
  const limits = { programs, processes: MAX_PROCESSES, ...(memoryMiB !== undefined && { memoryMiB }) };
  return [programs.bwrap, ...flags.flat(), "--", ...limit(argv, limits)];
}

/** The command that runs a command where it sees no other processes and does not outlive this one; else it is free. */
export function separate(argv: readonly string[], { bwrap }: ConfiningPrograms): string[] {
  return [bwrap, "--dev-bind", "/", "/", "--proc", "/proc", "--unshare-pid", "--die-with-parent", "--", ...argv];
}

/** The command that runs a command with limits. */
export function limit(
  argv: readonly string[],
  { programs, memoryMiB, processes }: { programs: Partial<ConfiningPrograms>; memoryMiB?: number; processes?: number },
): string[] {
  if (programs.prlimit === undefined) return [...argv];
  return [
    programs.prlimit,
    "--core=0",
    ...(memoryMiB === undefined ? [] : [`--data=${memoryMiB * 1024 * 1024}`]),
    ...(processes === undefined ? [] : [`--nproc=${processes}`]),
    "--",
    ...argv,
  ];
}

const MAX_PROCESSES = 512;

const KERNEL = ["/proc/sys", "/proc/sysrq-trigger"];

/** Where people keep what a program must not carry away; below the home folder. */
const SECRETS = [
  ".ssh",
  ".aws",
  ".azure",
  ".gnupg",
  ".kube",
  ".docker",
  ".config/gcloud",
  ".config/gh",
  ".config/pegboard",
  ".local/share/keyrings",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  ".config/git/credentials",
  ".cargo/credentials.toml",
];

/** Sockets of services that run with more rights live in `/run`; `/tmp` holds those of the person's own session. */
const EMPTIED = ["/tmp", "/var/tmp", "/run"];

/** What resolving names takes where `/etc/resolv.conf` leads into `/run`. */
const RESOLVERS = ["/run/systemd/resolve", "/run/NetworkManager", "/run/resolvconf"];

interface Mount {
  readonly path: string;
  readonly kind: "empty" | "read" | "write";
}

function mounts(argv: readonly string[], options: Confinement): Mount[] {
  const { write = [], read = [], protect = [], hide = [], network = false } = options;
  const home = homedir();
  const emptied = [home === "/" ? [] : [home], EMPTIED].flat();
  const secrets = SECRETS.map((path) => join(home, path));
  const isWritten = (path: string) => write.some((folder) => isInside(path, folder));
  const program = resolve(options.cwd, argv[0] ?? "");
  // The program may be a link to a place that would be empty.
  const needed = [options.cwd, dirname(program), dirname(real(program))].filter((path) => !isWritten(path));
  const wanted: Mount[] = [
    ...toMounts(emptied, "empty"),
    ...toMounts([...programFolders(emptied), ...needed, ...read, ...(network ? RESOLVERS : [])], "read"),
    ...toMounts(write, "write"),
    ...toMounts(protect, "read"),
    ...toMounts([...hide, ...secrets], "empty"),
  ];
  // Of two wishes for one path the later, stricter one counts; outer paths come before what lies in them.
  const last = new Map(wanted.map((mount) => [mount.path, mount]));
  const ordered = [...last.values()].sort((a, b) => depth(a.path) - depth(b.path));
  return ordered.filter((mount) => mount.kind !== kindAround(mount, ordered));
}

function toMounts(paths: readonly string[], kind: Mount["kind"]): Mount[] {
  return paths.filter((path) => existsSync(path)).map((path) => ({ path: real(path), kind }));
}

function kindAround({ path }: Mount, mounted: readonly Mount[]): Mount["kind"] {
  const around = mounted.filter((other) => path.startsWith(`${other.path}/`)).at(-1);
  return around?.kind ?? "read";
}

function toArguments({ path, kind }: Mount): string[] {
  if (kind === "write") return ["--bind", path, path];
  if (kind === "read") return ["--ro-bind", path, path];
  return statSync(path).isDirectory() ? ["--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}

/** The folders of the `PATH` that would be empty, with what lies beside them: programs need their libraries. */
function programFolders(emptied: readonly string[]): string[] {
  const folders = (process.env["PATH"] ?? "").split(delimiter).filter((folder) => folder.startsWith("/"));
  return folders
    .filter((folder) => emptied.some((outer) => isInside(folder, outer)))
    .flatMap((folder) => {
      const parent = dirname(folder);
      const isOwn =
        ["bin", "sbin", "shims"].includes(basename(folder)) &&
        !emptied.includes(parent) &&
        basename(parent) !== ".local";
      return isOwn ? [parent] : [folder];
    });
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}

function depth(path: string): number {
  return path === "/" ? 0 : path.split("/").length - 1;
}

function real(path: string): string {
  return existsSync(path) ? realpathSync(path) : resolve(path);
}
