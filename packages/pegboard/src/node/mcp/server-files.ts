import { resolve, sep } from "node:path";
import type { McpServer } from "@pegboard/contract";
import { isProgram } from "../../sources/mcp/server.ts";
import { statOf } from "../stat-of.ts";

/**
 * The program of a server and its arguments, as far as they are files of the workspace: a script that is named runs as
 * much as the program. What lies elsewhere came with the machine, not with the workspace.
 */
export function serverFiles(server: McpServer, workspace: string): string[] {
  if (!isProgram(server)) return [];
  const root = resolve(workspace);
  const folder = resolve(root, server.cwd ?? ".");
  return [server.command, ...(server.args ?? [])]
    .map((word) => resolve(folder, word))
    .filter((path) => path.startsWith(root + sep) && statOf(path)?.isFile());
}
