import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { minimalEnvironment } from "../environment.ts";
import { runProcess } from "../process.ts";
import { NO_GIT } from "./no-git.ts";
import type { PluginFolder } from "./plugin-folder.ts";
import { pythonIn, type Surroundings } from "./surroundings.ts";

/** Says for which dependencies a folder was made. */
const MARKER = ".pegboard-installed";
const MOST_MS = 5 * 60_000;
const SHOWN_CHARACTERS = 2_000;

const installing = new Map<string, Promise<void>>();

/**
 * Installs what a plugin depends on, once: again only when the file that lists it has changed. No script of a package runs.
 * Rejects with `unavailable` and the end of what the installer wrote; what was there before stays then.
 */
export async function install(surroundings: Surroundings, folder: PluginFolder, signal?: AbortSignal): Promise<void> {
  const { folder: place, file, runtime } = surroundings;
  const texts = await Promise.all([file, ...(runtime === "node" ? [LOCK] : [])].map((path) => folder.read(path)));
  if (texts[0] === undefined)
    throw new PegboardError(
      "unavailable",
      `Its dependencies cannot be installed: there is no ${folder.absolute(file)}`,
    );
  const digest = createHash("sha256")
    .update(JSON.stringify([runtime, texts]))
    .digest("hex");
  if (installed(place) === digest) return;
  const key = `${place} ${digest}`;
  const present = installing.get(key) ?? build(surroundings, [texts[0], texts[1]], digest, signal);
  installing.set(key, present);
  await present.finally(() => installing.delete(key));
}

const LOCK = "package-lock.json";

function installed(place: string): string | undefined {
  const marker = join(place, MARKER);
  return existsSync(marker) ? readFileSync(marker, "utf8") : undefined;
}

/** Made beside what is there and then put in its place, so that nobody sees half of it. */
async function build(
  { folder: place, runtime }: Surroundings,
  [list, lock]: readonly [string, string | undefined],
  digest: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const draft = `${place}.${process.pid}.draft`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    if (runtime === "python3") await installPython(draft, list, signal);
    else await installNode(draft, list, lock, signal);
    writeFileSync(join(draft, MARKER), digest);
    rmSync(place, { recursive: true, force: true });
    mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
    renameSync(draft, place);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

async function installNode(draft: string, list: string, lock: string | undefined, signal?: AbortSignal): Promise<void> {
  writeFileSync(join(draft, "package.json"), list);
  if (lock !== undefined) writeFileSync(join(draft, LOCK), lock);
  const command = lock === undefined ? "install" : "ci";
  await run(["npm", command, "--ignore-scripts", NO_GIT, "--omit=dev", "--no-audit", "--no-fund"], draft, signal);
}

async function installPython(draft: string, list: string, signal?: AbortSignal): Promise<void> {
  // These would build a package, and building runs its code.
  const refused = list
    .split(/\r?\n/)
    .find((line) => /^\s*(?:-e\b|--editable|--no-binary|-r\b|--requirement|\.{0,2}\/|file:)/.test(line));
  if (refused !== undefined)
    throw new PegboardError(
      "unavailable",
      `Its dependencies are not installed: "${refused.trim().slice(0, 80)}" is not the name of a package`,
    );
  const file = join(draft, "requirements.txt");
  writeFileSync(file, list);
  await run(["python3", "-m", "venv", draft], draft, signal);
  const pip = [
    "-m",
    "pip",
    "install",
    "--disable-pip-version-check",
    "--no-input",
    "--only-binary",
    ":all:",
    "-r",
    file,
  ];
  await run([pythonIn(draft), ...pip], draft, signal);
}

async function run(argv: readonly string[], cwd: string, signal: AbortSignal | undefined): Promise<void> {
  const { code, stderr, stdout, problem, ended } = await runProcess({
    argv,
    cwd,
    env: minimalEnvironment(),
    timeoutMs: MOST_MS,
    maxBytes: 256 * 1024,
    ...(signal && { signal }),
  });
  if (code === 0 && !ended) return;
  const said = `${stdout.bytes.toString("utf8")}\n${stderr.bytes.toString("utf8")}`.trim().slice(-SHOWN_CHARACTERS);
  const what = problem?.message ?? (ended ? `it was ended (${ended})` : `it ended with exit code ${code}`);
  throw new PegboardError(
    "unavailable",
    `Its dependencies were not installed: ${argv.join(" ")}: ${what}\n${said}`.trim(),
  );
}
