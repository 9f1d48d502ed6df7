import { type Field, isMapping } from "../field.ts";
import type { AgentFormat } from "./draft.ts";

/** Fields that no other program has. */
const OWN = [
  "toolsets",
  "compatible_models",
  "reasoning_effort",
  "input_schema",
  "output_schema",
  "requirements",
  "attachments",
  "blocked_tools",
  "created_at",
];

const PLACES: readonly (readonly [place: RegExp, format: AgentFormat])[] = [
  [/\.(?:agent|chatmode)\.md$/, "copilot"],
  [/(?:^|\/)\.github\/agents\//, "copilot"],
  [/(?:^|\/)\.claude\//, "claude"],
  [/(?:^|\/)\.?opencode\/agents?\//, "opencode"],
  [/(?:^|\/)\.gemini\//, "gemini"],
  [/(?:^|\/)\.codex\//, "codex"],
  [/\.toml$/, "codex"],
  [/\.(?:ya?ml|json)$/, "goose"],
];

/** Fields that give a program away, in the order in which they are asked for. */
const KEYS: readonly (readonly [format: AgentFormat, keys: readonly string[]])[] = [
  ["opencode", ["permission", "steps", "maxSteps", "variant"]],
  ["gemini", ["kind", "display_name", "mcp_servers", "timeout_mins"]],
  ["copilot", ["handoffs", "mcp-servers", "user-invocable", "disable-model-invocation", "target", "infer"]],
  [
    "claude",
    [
      "color",
      "permissionMode",
      "disallowedTools",
      "allowed-tools",
      "allowedTools",
      "maxTurns",
      "effort",
      "memory",
      "background",
      "isolation",
      "initialPrompt",
      "omitClaudeMd",
      "autoCompactWindow",
      "observer",
      "hooks",
    ],
  ],
];

/** Names of tools that only one program has, as it spells them. */
const TOOLS: readonly (readonly [format: AgentFormat, names: RegExp])[] = [
  [
    "claude",
    /^(?:Read|Write|Edit|MultiEdit|Grep|Glob|LS|Bash|WebSearch|WebFetch|Task|Agent|Skill|TodoWrite|Notebook(?:Edit|Read)|AskUserQuestion)(?:\(.*)?$|^mcp__/s,
  ],
  ["gemini", /^(?:read_many_files|run_shell_command|google_web_search|search_file_content|replace|list_directory)$/],
  ["copilot", /^(?:\w+\/[\w*-]+|codebase|editFiles|runCommands|usages|githubRepo|problems|findTestFiles|vscodeAPI)$/],
];

const FAMILY = /^(?:claude-)?(?:sonnet|opus|haiku)\b|^(?:GPT|Claude) ?-?\d?/;

/** Whose file it is: by its place, by fields that are ours, by fields, tools and models that others have; else ours. */
export function detectFormat(file: string | undefined, fields: readonly Field[]): AgentFormat {
  const path = (file ?? "").replaceAll("\\", "/");
  const place = PLACES.find(([pattern]) => pattern.test(path));
  if (place) return place[1];
  const values = new Map(fields.map(({ path: key, value }) => [key, value]));
  if (OWN.some((key) => values.has(key))) return "pegboard";
  if (isMapping(values.get("meta")) && !values.has("name")) return "amplifier";
  const tools = values.get("tools");
  if (isMapping(tools) || ["primary", "subagent", "all"].includes(values.get("mode") as string)) return "opencode";
  const names = typeof tools === "string" ? tools.split(/[,\s]+/) : Array.isArray(tools) ? tools : [];
  const byTool = TOOLS.find(([, known]) => names.some((name) => typeof name === "string" && known.test(name)));
  // Claude Code's names are the most telling; fields are asked before those of others.
  if (byTool?.[0] === "claude") return "claude";
  const byKey = KEYS.find(([, keys]) => keys.some((key) => values.has(key)));
  if (byKey || byTool) return (byKey ?? byTool)![0];
  const model: unknown = values.get("model");
  return typeof model === "string" && FAMILY.test(model) ? "claude" : "pegboard";
}

/** Whether a markdown text has the front matter of an agent: other texts have one too. Looks at its beginning only. */
export function looksLikeAgent(text: string): boolean {
  const start = /^\uFEFF?\s*---[ \t]*\r?\n/.exec(text.slice(0, 200));
  if (!start) return false;
  const rest = text.slice(start[0].length, 65_536);
  const end = /^---[ \t]*\r?$/m.exec(rest);
  const yaml = end ? rest.slice(0, end.index) : "";
  const has = (key: string) => new RegExp(`^${key}[ \\t]*:`, "m").test(yaml);
  return (has("name") && has("description")) || (has("meta") && has("tools"));
}
