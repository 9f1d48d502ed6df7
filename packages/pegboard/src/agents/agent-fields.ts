import type { Agent, AttachmentLimits, Requirements } from "@pegboard/contract";
import { nearest } from "../core/nearest.ts";
import { DELEGATION_FIELDS } from "./delegation-fields.ts";
import type { Consequence, Field, Findings } from "./field.ts";
import { count, flag, mapping, number, type Reader, schema, text, texts, word, wrong } from "./field-readers.ts";
import { rightOf, slipOf } from "./rights.ts";

/** The fields of an agent's file that say nothing about its rights. */
type Plain = Partial<Omit<Agent, "name" | "instructions" | "tools" | "promptTools" | "toolsets" | "mode">>;

const requirements = mapping<Requirements>({
  require_tool_use: ["toolUse", flag],
  required_tools_one_of: ["oneOf", texts],
  required_tools_all: ["all", texts],
  minimum_tool_calls: ["minimumCalls", count(0)],
  max_retries: ["maxReminders", count(0)],
  reminder_message: ["reminder", text(8_192)],
});

const attachments = mapping<AttachmentLimits>({
  count: ["count", count(0)],
  max_count: ["count", count(0)],
  bytes: ["bytes", count(0)],
  suffixes: ["suffixes", suffixes],
});

const READERS: Readonly<Record<string, readonly [as: keyof Plain, read: Reader<any>]>> = {
  description: ["description", text(8_192)],
  model: ["model", model],
  compatible_models: ["compatibleModels", texts],
  temperature: ["temperature", number(0, 2)],
  reasoning_effort: ["reasoningEffort", word("low", "medium", "high", "inherit")],
  agents: ["agents", texts],
  visible_from_agents: ["visibleFrom", texts],
  input_schema: ["input", schema({ root: "object" })],
  output_schema: ["output", schema()],
  requirements: ["requirements", requirements],
  max_turns: ["maxTurns", count(1)],
  attachments: ["attachments", attachments],
  created_at: ["createdAt", timestamp],
  updated_at: ["updatedAt", timestamp],
};

/** The fields that say what it may do. */
const RIGHTS = ["tools", "allowed_tools", "blocked_tools", "toolsets", "mcpServers", "mode"];

/** What restricts nothing may be empty. */
const OPTIONAL = ["description", "model", "temperature", "reasoning_effort", "created_at", "updated_at"];

/** The fields of an agent's file. */
export const AGENT_FIELDS: readonly string[] = ["name", ...RIGHTS, ...DELEGATION_FIELDS, ...Object.keys(READERS)];

/** Whether a key is a field of an agent's file. */
export function isAgentField(key: string): boolean {
  return AGENT_FIELDS.includes(key);
}

/** Reads all fields but the name and those about rights. A value that is wrong means that there is no agent. */
export function readAgentFields(fields: ReadonlyMap<string, Field>, findings: Findings): Plain {
  const read: Partial<Record<keyof Plain, unknown>> = {};
  for (const [key, [as, reader]] of Object.entries(READERS)) {
    const field = fields.get(key);
    if (!field) continue;
    if (field.value === null && OPTIONAL.includes(key)) {
      findings.became(key, "ignored", "empty");
      findings.add("warning", {
        code: "empty_value",
        message: `${key} is empty and says nothing`,
        place: field.place(),
      });
      continue;
    }
    findings.became(key, "mapped");
    const value: unknown = reader(field, findings, "no-agent");
    // `inherit`, and nothing at all, are what holds without the field.
    if (value !== undefined && value !== "inherit" && (value !== "" || as === "description")) read[as] = value;
  }
  return read as Plain;
}

/** Says what became of every key that is no field: another program's, a slip that may cost rights, or simply unknown. */
export function reportOtherKeys(fields: Iterable<Field>, findings: Findings): void {
  const unknown: Field[] = [];
  for (const field of fields) {
    const key = field.path;
    if (AGENT_FIELDS.includes(key) || rightOf(key)) continue;
    const slip = FOREIGN.has(key) ? undefined : slipOf(key);
    if (FOREIGN.has(key)) findings.became(key, "ignored", FOREIGN.get(key));
    else if (slip !== undefined) reportSlip(field, slip, findings);
    else unknown.push(field);
  }
  for (const field of unknown) {
    const near = nearest(field.path, AGENT_FIELDS);
    const message = `unknown key "${field.path}"${near ? `, did you mean "${near}"?` : ""}`;
    findings.became(field.path, "ignored", near ? `unknown; did you mean ${near}?` : "unknown");
    findings.add("warning", { code: "unknown_key", message, place: field.place() });
  }
}

function reportSlip(field: Field, meant: string, findings: Findings): void {
  findings.became(field.path, "unsafe", `read as no field; did you mean ${meant}?`);
  findings.add("no-tools", {
    code: "unknown_key",
    message: `unknown key "${field.path}", which may be meant to be "${meant}": the agent gets no tools`,
    place: field.place(),
    fix: `write ${meant}, or take the line out`,
  });
}

/** A model's name; of a list, the first. */
function model(field: Field, findings: Findings, consequence: Consequence): string | undefined {
  if (!Array.isArray(field.value)) return text(256)(field, findings, consequence);
  const [first] = texts(field, findings, consequence) ?? [];
  if (first === undefined) return undefined;
  findings.became(field.path, "approximated", "the first model of the list");
  findings.add("warning", {
    code: "first_of_list",
    message: `${field.path} is a list; the first one counts: ${first}`,
    place: field.place(),
    fix: "write one model, and the others as compatible_models",
  });
  return first;
}

function suffixes(field: Field, findings: Findings, consequence: Consequence): readonly string[] | undefined {
  const read = texts(field, findings, consequence);
  const bad = read?.findIndex((suffix) => !suffix.startsWith(".")) ?? -1;
  return bad < 0 ? read : wrong(field.member(bad), "the ending of a file's name, such as .png", findings, consequence);
}

/** A time is for people only: a wrong one is left out. */
function timestamp(field: Field, findings: Findings): string | undefined {
  const { value } = field;
  if (typeof value === "string" && value.length <= 64 && !Number.isNaN(Date.parse(value))) return value;
  findings.became(field.path, "ignored", "no time");
  return wrong(field, "a time such as 2026-01-31T12:00:00Z", findings, "warning");
}

const CLAUDE = "a field of Claude Code";
const OPENCODE = "a field of opencode";
const COPILOT = "a field of Copilot";
const NOTE = "says nothing that Pegboard acts on";

/** Keys that other programs give a meaning which is not carried over. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ...["color", "effort", "hooks", "skills", "initialPrompt", "memory", "background"].map(note(CLAUDE)),
  ...["omitClaudeMd", "isolation", "observer", "observerMessage", "observeSubagents", "experimental"].map(note(CLAUDE)),
  ...["autoCompactWindow"].map(note(CLAUDE)),
  ["maxTurns", `${CLAUDE}; write max_turns`] as const,
  ...["variant", "top_p", "prompt", "steps", "maxSteps", "hidden", "options"].map(note(OPENCODE)),
  ...["kind", "display_name", "mcp_servers", "timeout_mins"].map(note("a field of Gemini")),
  ...["argument-hint", "user-invocable", "disable-model-invocation", "mcp-servers", "handoffs"].map(note(COPILOT)),
  ...["target", "infer"].map(note(COPILOT)),
  ...["meta", "model_role"].map(note("a field of Amplifier")),
  ...["emoji", "vibe", "capabilities", "category", "author", "type", "activation_triggers"].map(note(NOTE)),
  ...["version", "license", "tags", "metadata", "title", "role"].map(note(NOTE)),
]);

function note(words: string): (key: string) => readonly [string, string] {
  return (key) => [key, words];
}
