import { isMapping } from "../field.ts";
import type { Move } from "./draft.ts";

/** How programs spell which tools of a server are meant. */
const CHOICES = [
  "tools",
  "allowed",
  "allowedTools",
  "available_tools",
  "includeTools",
  "excludeTools",
  "enabled_tools",
  "disabled_tools",
  "disabledTools",
];

/**
 * MCP servers that the file brings, by name or in a list. One of which only some tools are meant is left out: there is no
 * such choice here, and all of them would be more.
 */
export const moveServers: Move = (field, draft) => {
  if (!draft.options.servers) return draft.became(field.path, "ignored", "agents of plugins bring no servers");
  const left: string[] = [];
  const keep = (servers: Readonly<Record<string, unknown>>) => {
    const choosy = Object.keys(servers).filter((name) => isChoosy(servers[name]));
    left.push(...choosy);
    return Object.fromEntries(Object.entries(servers).filter(([name]) => !choosy.includes(name)));
  };
  const { value } = field;
  const kept: unknown = isMapping(value)
    ? keep(value)
    : Array.isArray(value)
      ? value.map((one: unknown) => (isMapping(one) ? keep(one) : one))
      : value;
  draft.put("mcpServers", kept, field);
  if (left.length === 0) return draft.became(field.path, "mapped");
  draft.became(field.path, "approximated", "some are left out");
  draft.add("warning", field, {
    code: "partial_tool",
    message: `${field.path}: left out, because only some of their tools are meant: ${left.join(", ").slice(0, 400)}`,
    fix: "name the server in mcpServers of pegboard.yaml, and its tools in the list of the agent",
  });
};

function isChoosy(server: unknown): boolean {
  if (!isMapping(server)) return false;
  return CHOICES.some((key) => {
    const chosen = Object.hasOwn(server, key) ? server[key] : undefined;
    return chosen !== undefined && !(Array.isArray(chosen) && chosen.length === 1 && chosen[0] === "*");
  });
}
