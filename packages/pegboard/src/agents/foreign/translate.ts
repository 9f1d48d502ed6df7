import type { FieldReport } from "../../core/file-report.ts";
import { createField, type Field, type Findings } from "../field.ts";
import type { Dialect, Draft, DraftOptions, Translation } from "./draft.ts";
import { moveServers } from "./move-servers.ts";
import { nameAfterFile } from "./moves.ts";

/** How programs spell the servers that an agent brings. */
const SERVERS = ["mcpServers", "mcp_servers", "mcp-servers"];

/**
 * Moves every field of a file by the dialect of its program. A field that the dialect does not know is passed on as it is:
 * our own reader tells that it is unknown, or what it may have forbidden.
 */
export function translate(
  fields: readonly Field[],
  dialect: Dialect,
  options: DraftOptions,
  findings: Findings,
): Translation {
  const own = new Map<string, Field>();
  const reports = new Map<string, FieldReport>();
  const denied: { readonly tools: string[]; from?: Field } = { tools: [] };
  const told: string[] = [];
  let allowed: { readonly tools: readonly string[]; readonly from: Field } | undefined;
  const draft: Draft = {
    dialect,
    options,
    put: (key, value, from) =>
      void own.set(
        key,
        createField(key, value, () => from.place()),
      ),
    has: (key) => own.has(key),
    became: (field, became, note) => void reports.set(field, { field, became, ...(note !== undefined && { note }) }),
    add: (consequence, from, finding) => findings.add(consequence, { ...finding, place: from.place() }),
    allow(tools, from) {
      const before = allowed?.tools;
      allowed = { tools: before ? before.filter((tool) => tools.includes(tool)) : [...new Set(tools)], from };
    },
    deny(tools, from) {
      denied.tools.push(...tools);
      denied.from ??= from;
    },
    instruct: (text) => void told.push(text.trim()),
  };
  for (const field of fields) {
    if (Object.hasOwn(dialect.fields, field.path)) dialect.fields[field.path]!(field, draft);
    else if (SERVERS.includes(field.path)) moveServers(field, draft);
    else if (field.path === "toolsets") draft.became(field.path, "unsafe", "files of other programs bring no code");
    else if (!own.has(field.path)) own.set(field.path, field);
  }
  if (!own.has("name")) nameAfterFile(fields, draft);
  if (allowed) {
    draft.put("tools", allowed.tools, allowed.from);
    // What a server of its own has would come on top of the list.
    const isBrought = own.delete("mcpServers");
    const note = "it has a list of tools; name the servers in mcpServers of pegboard.yaml";
    if (isBrought) for (const key of SERVERS) if (reports.has(key)) draft.became(key, "ignored", note);
  }
  if (denied.tools.length > 0) draft.put("blocked_tools", [...new Set(denied.tools)], denied.from!);
  return { fields: [...own.values()], instructions: told.filter(Boolean).join("\n\n"), reports: [...reports.values()] };
}
