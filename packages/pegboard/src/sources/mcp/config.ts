import type { McpServer } from "@pegboard/contract";
import { type EntryNote, readEntry } from "./config-entry.ts";

/** A list of servers, as some program writes it: what can be reached, what is switched off, and what cannot be read. */
export interface ServerList {
  readonly servers: readonly NamedServer[];
  readonly problems: readonly ServerProblem[];
  /** What became of the fields of each entry that are not carried over as they are. */
  readonly notes: readonly (EntryNote & { readonly server: string })[];
}

/** A server, by the name that it has in its list. */
export interface NamedServer {
  readonly name: string;
  readonly server: McpServer;
  /** Switched off where it stands. */
  readonly disabled?: boolean;
}

/** Why something of a list is left out. */
export interface ServerProblem {
  /** The entry; absent is the list as a whole. */
  readonly server?: string;
  readonly message: string;
}

/** The keys under which programs keep their servers. */
const WRAPPERS = ["mcpServers", "mcp_servers", "mcp-servers", "servers", "context_servers", "mcp"];

/**
 * Reads a list of servers in whatever shape it is in use: below `mcpServers`, `servers` and the like, or bare; by name, or
 * as a list of entries with names. Never throws; a bad entry takes no other with it. Variables are left as they are.
 */
export function parseServers(value: unknown): ServerList {
  const list = unwrap(value);
  if (list === undefined)
    return {
      servers: [],
      problems: [
        { message: "it holds no MCP servers: it must be a mapping such as mcpServers: { name: { command } }" },
      ],
      notes: [],
    };
  const read = list.map(([name, entry]) => ({ name, is: readEntry(entry) }));
  const doubles = new Set(list.map(([name]) => name).filter((name, index, all) => all.indexOf(name) < index));
  return {
    servers: read.flatMap(({ name, is }) =>
      "server" in is && !doubles.has(name) ? [{ name, server: is.server, ...(is.disabled && { disabled: true }) }] : [],
    ),
    problems: [
      ...[...doubles].map((server) => ({ server, message: "there are several servers of this name" })),
      ...read.flatMap(({ name, is }) => ("problem" in is ? [{ server: name, message: is.problem }] : [])),
    ],
    notes: read.flatMap(({ name, is }) => is.notes.map((note) => ({ server: name, ...note }))),
  };
}

function unwrap(value: unknown): (readonly [name: string, entry: unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((entry, index) => [nameOf(entry) ?? `server-${index + 1}`, entry]);
  if (!isMapping(value)) return undefined;
  const key = WRAPPERS.find((one) => isMapping(value[one]) || Array.isArray(value[one]));
  if (key !== undefined) return unwrapInner(value[key]);
  const entries = Object.entries(value).filter(([name]) => name !== "$schema");
  // Bare: every member is a server. A file about something else must not be taken for one.
  return entries.length > 0 && entries.every(([, entry]) => isEntry(entry)) ? entries : undefined;
}

function unwrapInner(value: unknown): (readonly [string, unknown])[] | undefined {
  return Array.isArray(value) ? unwrap(value) : Object.entries(value as object);
}

function isEntry(value: unknown): boolean {
  return isMapping(value) && ["command", "url", "httpUrl", "serverUrl"].some((key) => Object.hasOwn(value, key));
}

function nameOf(entry: unknown): string | undefined {
  const name = isMapping(entry) ? entry["name"] : undefined;
  return typeof name === "string" && name !== "" ? name : undefined;
}

function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
