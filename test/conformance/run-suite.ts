import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { inject } from "vitest";

/** What came of a run of the official suite, by the names of its scenarios. */
export interface Verdicts {
  /** Those in which no check failed, sorted. */
  readonly passed: readonly string[];
  /** The others, with the checks that failed. */
  readonly failed: Readonly<Record<string, readonly string[]>>;
  /** What the suite printed, for whoever looks for the reason. */
  readonly output: string;
}

interface Check {
  readonly id: string;
  readonly status: string;
  readonly errorMessage?: string;
}

/** Runs the official suite against a server (`server --url …`) or a client (`client --command …`). */
export async function runSuite(...args: readonly string[]): Promise<Verdicts> {
  const folder = await mkdtemp(join(tmpdir(), "pegboard-conformance-run-"));
  try {
    const suite = spawn(process.execPath, [inject("conformance"), ...args, "--output-dir", folder]);
    const [out, problems] = await Promise.all([text(suite.stdout), text(suite.stderr), once(suite, "close")]);
    return { ...(await readVerdicts(folder)), output: out + problems };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function readVerdicts(folder: string): Promise<Pick<Verdicts, "passed" | "failed">> {
  const passed: string[] = [];
  const failed: Record<string, readonly string[]> = {};
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith("checks.json")) continue;
    const checks = JSON.parse(await readFile(join(folder, name), "utf8")) as readonly Check[];
    const problems = checks.filter(({ status }) => status === "FAILURE");
    const scenario = scenarioOf(name);
    if (problems.length === 0) passed.push(scenario);
    else failed[scenario] = problems.map(({ id, errorMessage = "" }) => `${id}: ${errorMessage}`);
  }
  return { passed: passed.toSorted(), failed };
}

/** Folders are called by the side that is tested, the scenario and the time. */
function scenarioOf(path: string): string {
  const [, scenario] =
    /^(?:server-|client-)?(.+)-\d{4}-\d\d-\d\dT[\dZ-]+\/checks\.json$/.exec(path.replaceAll("\\", "/")) ?? [];
  return scenario ?? path;
}
