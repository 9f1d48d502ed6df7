import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { McpServer } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { createMcpPool, type McpPool, type McpPoolOptions } from "../../sources/mcp/pool.ts";
import { minimalEnvironment } from "../environment.ts";
import { findProgram } from "../find-program.ts";
import { httpPost } from "./http-post.ts";
import { programWire } from "./program-wire.ts";

/** How programs are started. */
export interface LocalMcpPoolOptions extends Omit<McpPoolOptions, "openProgram"> {
  /** The folder in which programs run that name none; by default the current one. */
  readonly cwd?: string;
  /** Turns the command of a server into the one that is run, for instance confined. Rejects when it must not run. */
  confine?(argv: readonly string[], place: ProgramPlace): Promise<readonly string[]>;
}

/** Where a program is about to be started, and whose it is. */
export interface ProgramPlace {
  readonly cwd: string;
  readonly server: McpServer;
}

/** A pool of MCP servers that can also start programs: each in a group of its own, with a minimal environment. */
export function createLocalMcpPool({ cwd: base = ".", confine, ...options }: LocalMcpPoolOptions = {}): McpPool {
  return createMcpPool({
    post: httpPost,
    ...options,
    openProgram(server) {
      const { command, args = [], env = {}, cwd: given = "." } = server;
      const cwd = resolve(base, given);
      const environment = minimalEnvironment(env);
      return programWire({
        command,
        cwd,
        env: environment,
        async argv() {
          const found = findProgram(command, cwd, environment);
          if ("problem" in found) throw new PegboardError("unavailable", found.message);
          if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
            throw new PegboardError("unavailable", `There is no folder ${cwd} to run "${command}" in`);
          const argv = [found.path, ...args];
          return confine ? confine(argv, { cwd, server }) : argv;
        },
      });
    },
  });
}
