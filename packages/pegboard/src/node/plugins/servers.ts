import type { McpServer } from "@pegboard/contract";
import { mapTexts } from "../../core/map-texts.ts";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { FieldReport, FileReport } from "../../core/file-report.ts";
import { parseServers } from "../../sources/mcp/config.ts";
import { missingVariables } from "../../sources/mcp/expand.ts";
import { isProgram } from "../../sources/mcp/server.ts";
import { toReport } from "./report.ts";

/** MCP servers of a plugin, and what became of the list that they stand in. */
export interface ReadServers {
  readonly servers: Readonly<Record<string, McpServer>>;
  readonly report: FileReport;
}

/** How the servers of a plugin are read. */
export interface ServerOptions {
  readonly format: string;
  /** What the plugin knows by itself, and its programs find in their environment. */
  readonly variables: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The settings that are filled in later. */
  readonly settings?: readonly string[];
  /** Fills in the variables of the plugin. */
  fill(text: string): string;
}

/**
 * Reads a list of servers in any shape that is in use. The variables of the plugin are filled in; those of the environment
 * stay for whoever starts the server, and one that is not set is warned of.
 */
export function toServers(
  list: unknown,
  file: string,
  { format, variables, env, settings = [], fill }: ServerOptions,
): ReadServers {
  const { servers, problems, notes } = parseServers(list);
  const found: Record<string, McpServer> = {};
  const fields: FieldReport[] = notes.map(({ server, field, became, note }) => ({
    field: `mcpServers.${server}.${field}`,
    became,
    note,
  }));
  const diagnostics: Diagnostic[] = problems.map(({ server, message }) => ({
    severity: "error",
    code: "invalid_server",
    message: server === undefined ? message : `server "${server}" is left out: ${message}`,
  }));
  for (const { name, server, disabled } of servers) {
    const field = `mcpServers.${name}`;
    const filled = mapTexts(server, fill, (key) => key);
    const asked = Array.from(JSON.stringify(filled).matchAll(/\$\{user_config\.([^}]*)\}/g), ([, key]) => key!);
    const unknown = asked.find((key) => !settings.includes(key));
    if (disabled) fields.push({ field, became: "ignored", note: "switched off where it stands" });
    else if (unknown !== undefined) {
      fields.push({ field, became: "ignored", note: `user_config.${unknown} is no setting of the plugin` });
      const message = `server "${name}" is left out: user_config.${unknown} is no setting of the plugin`;
      diagnostics.push({ severity: "error", code: "missing_setting", message });
    } else {
      fields.push({ field, became: "mapped" });
      found[name] = isProgram(filled) ? { ...filled, env: { ...variables, ...filled.env } } : filled;
      for (const variable of missingVariables(filled, (key) => env[key])) {
        const message = `server "${name}" needs the environment variable ${variable}, which is not set`;
        diagnostics.push({ severity: "warning", code: "unset_variable", message, fix: `set ${variable}` });
      }
    }
  }
  const loaded = diagnostics.every(({ severity }) => severity !== "error");
  return { servers: found, report: toReport(file, { kind: "mcp", format }, { loaded, fields, diagnostics }) };
}
