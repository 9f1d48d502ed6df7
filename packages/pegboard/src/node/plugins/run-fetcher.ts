import { PegboardError } from "../../core/error.ts";
import { minimalEnvironment } from "../environment.ts";
import { runProcess } from "../process.ts";

const MOST_MS = 5 * 60_000;
const SHOWN_CHARACTERS = 2_000;

/** How a program that fetches is run. */
export interface FetcherOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Runs npm or git and returns what it printed. Rejects with `unavailable` and the end of what it said. */
export async function runFetcher(argv: readonly string[], { cwd, env = {}, signal }: FetcherOptions): Promise<string> {
  const { code, stdout, stderr, problem, ended } = await runProcess({
    argv,
    cwd,
    env: minimalEnvironment({ ...fromHost("SSH_AUTH_SOCK"), ...env }),
    timeoutMs: MOST_MS,
    maxBytes: 4 * 1024 * 1024,
    ...(signal && { signal }),
  });
  const printed = stdout.bytes.toString("utf8");
  if (code === 0 && !ended) return printed;
  const said = `${printed}\n${stderr.bytes.toString("utf8")}`.trim().slice(-SHOWN_CHARACTERS);
  const what = problem?.message ?? (ended ? `it was ended (${ended})` : `it ended with exit code ${code}`);
  throw new PegboardError("unavailable", `${argv.slice(0, 2).join(" ")}: ${what}; nothing was changed\n${said}`.trim());
}

function fromHost(name: string): Record<string, string> {
  const value = process.env[name];
  return value === undefined ? {} : { [name]: value };
}
