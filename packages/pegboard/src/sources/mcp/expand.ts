import type { McpServer } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { mapTexts } from "../../core/map-texts.ts";
import { commandProblem, isProgram, urlProblem } from "./server.ts";

/** The value of a variable, or undefined when it is not set. */
export type Lookup = (name: string) => string | undefined;

// VS Code writes ${env:NAME}.
const VARIABLE = /\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g;

/** The variables that a server needs and that are not set, and have no default. */
export function missingVariables(server: McpServer, lookup: Lookup): string[] {
  if (server.literal) return [];
  const missing = new Set<string>();
  mapTexts(
    server,
    (text) => {
      for (const [, name, fallback] of text.matchAll(VARIABLE))
        if (fallback === undefined && lookup(name!) === undefined) missing.add(name!);
      return text;
    },
    (key) => key,
  );
  return [...missing];
}

/**
 * A server with `${NAME}` and `${NAME:-default}` filled in, in one pass: what a variable holds is not looked into again.
 * Throws `unavailable` when one is not set, `invalid_config` when what comes of it is no program or address.
 */
export function expandServer(name: string, server: McpServer, lookup: Lookup): McpServer {
  if (server.literal) return server;
  const missing = missingVariables(server, lookup);
  if (missing.length > 0) {
    const which = missing.length === 1 ? `variable ${missing[0]} is` : `variables ${missing.join(", ")} are`;
    throw new PegboardError("unavailable", `MCP server "${name}": the environment ${which} not set`);
  }
  const expanded = mapTexts(
    server,
    (text) => text.replaceAll(VARIABLE, (_, variable: string, fallback?: string) => lookup(variable) || fallback || ""),
    (key) => key,
  );
  const problem = isProgram(expanded) ? commandProblem(expanded.command) : urlProblem(expanded.url);
  if (problem !== undefined) throw new PegboardError("invalid_config", `MCP server "${name}": ${problem}`);
  return expanded;
}
