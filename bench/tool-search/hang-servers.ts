import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { attachMcpServer, type Registry } from "../../packages/pegboard/src/index.ts";
import { createLocalMcpPool } from "../../packages/pegboard/src/node/mcp/local-pool.ts";
import { type SearchedServer, SERVERS } from "./servers.ts";

/** Installs the servers into a folder; no script of theirs runs. Rejects with what npm said. */
export async function installServers(folder: string): Promise<void> {
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"];
  const packages = SERVERS.map((server) => `${server.package}@${server.version}`);
  await promisify(execFile)("npm", ["install", "--prefix", folder, ...flags, ...packages]);
}

/**
 * Hangs the tools of all servers of a folder on a board, and ends the servers: to be found, nothing is called. Where there
 * is bubblewrap they see no network and write nothing. Rejects when one of them does not tell its tools.
 */
export async function hangServers(board: Registry, folder: string): Promise<void> {
  const pool = createLocalMcpPool({ cwd: folder, confine: async (argv) => [...WALLS, ...argv] });
  try {
    // One after another: all at once, the slowest of them would run out of time.
    for (const server of SERVERS) {
      const program = { command: process.execPath, args: [programOf(server, folder), ...(server.args ?? [])] };
      const attached = attachMcpServer(board, server.name, { ...program, env: server.env ?? {} }, { pool });
      await attached.ready;
      if (attached.problem !== undefined) throw new Error(`${server.package}: ${attached.problem}`);
    }
  } finally {
    await pool[Symbol.asyncDispose]();
  }
}

const BWRAP = [
  "bwrap",
  "--ro-bind",
  "/",
  "/",
  "--dev",
  "/dev",
  "--proc",
  "/proc",
  "--unshare-all",
  "--die-with-parent",
];
const HOMELESS = ["--tmpfs", "/root", "--tmpfs", "/home"];
const WALLS = spawnSync("bwrap", [...BWRAP.slice(1), "true"]).status === 0 ? [...BWRAP, ...HOMELESS] : [];

function programOf(server: SearchedServer, folder: string): string {
  const place = join(folder, "node_modules", server.package);
  const { bin } = JSON.parse(readFileSync(join(place, "package.json"), "utf8")) as {
    bin: string | Record<string, string>;
  };
  return join(place, typeof bin === "string" ? bin : Object.values(bin)[0]!);
}
