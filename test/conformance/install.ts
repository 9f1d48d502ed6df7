import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { TestProject } from "vitest/node";

const PACKAGE = "@modelcontextprotocol/conformance";
/** Exact, so that a release elsewhere breaks nothing here. */
const VERSION = "0.2.0-alpha.12";

declare module "vitest" {
  interface ProvidedContext {
    /** The program of the official suite. */
    readonly conformance: string;
  }
}

let folder: string | undefined;

/** Installs the official suite for all tests, in a folder that shares nothing with this repository. */
export async function setup(project: TestProject): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "pegboard-conformance-"));
  try {
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
    await promisify(execFile)("npm", ["install", "--prefix", folder, ...flags, `${PACKAGE}@${VERSION}`]);
  } catch (error) {
    await teardown();
    throw error;
  }
  project.provide("conformance", join(folder, "node_modules", PACKAGE, "dist", "index.js"));
}

/** Removes it. */
export async function teardown(): Promise<void> {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
