import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { McpServer } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf } from "../../core/error.ts";
import { readEntry } from "../../sources/mcp/config-entry.ts";
import { parseServers } from "../../sources/mcp/config.ts";
import { fromFile } from "../places.ts";

/** An entry, with the place where it stands. */
interface Placed<T> {
  readonly entry: T;
  readonly file: string;
  readonly line: number;
}

/** One entry of `mcpServers`, as it is written: a program, an address, or a server of a list in another file. */
export type ServerEntry = Readonly<Record<string, unknown>> & { readonly file?: string; readonly server?: string };

/** A server of a configuration. Variables and secrets are left as they are written. */
export interface ConfiguredServer {
  readonly server: McpServer;
  /** The file of the list that it was taken from. */
  readonly list?: string;
}

/** The servers of a configuration, and what is wrong with the others. */
export interface ReadServers {
  readonly servers: ReadonlyMap<string, Placed<ConfiguredServer>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Reads the servers of a configuration file. Only reads; what cannot be read is left out. */
export function readServers(entries: readonly (readonly [name: string, placed: Placed<ServerEntry>])[]): ReadServers {
  const servers = new Map<string, Placed<ConfiguredServer>>();
  const diagnostics: Diagnostic[] = [];
  for (const [name, { entry, file, line }] of entries) {
    const read =
      entry.file === undefined ? toServer(entry) : fromList(entry, entry.server ?? name, fromFile(file, entry.file));
    if (typeof read === "string")
      diagnostics.push({
        severity: "error",
        code: "invalid_value",
        message: `MCP server "${name}" is left out: ${read}`,
        file,
        line,
      });
    else servers.set(name, { entry: read, file, line });
  }
  return { servers, diagnostics };
}

function toServer(entry: unknown): ConfiguredServer | string {
  const read = readEntry(entry);
  return "problem" in read ? read.problem : { server: read.server };
}

function fromList(entry: ServerEntry, name: string, list: string): ConfiguredServer | string {
  if (entry["tools"] !== undefined) return "the tools that are used of it are chosen in the file that has it";
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(resolve(list), "utf8"));
  } catch (error) {
    return `${list} cannot be read: ${messageOf(error)}`;
  }
  const { servers, problems } = parseServers(value);
  const found = servers.find((one) => one.name === name);
  if (found) return { server: found.server, list };
  const problem = problems.find(({ server }) => server === undefined || server === name);
  if (problem) return `${list}: ${problem.message}`;
  return `${list} has no server "${name}"; it has ${servers.map((one) => one.name).join(", ") || "none"}`;
}
