import type { Agent } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf } from "../core/error.ts";
import { copyJson } from "../core/json.ts";
import { readAgentFields, reportOtherKeys } from "./agent-fields.ts";
import { readName, toName } from "./agent-name.ts";
import { type AgentParts, readParts } from "./agent-parts.ts";
import { readDelegation } from "./delegation-fields.ts";
import { createField, createFindings, type Field, type FieldOutcome, type Findings } from "./field.ts";
import { detectFormat } from "./foreign/detect.ts";
import { DIALECTS } from "./foreign/dialects.ts";
import type { AgentFormat } from "./foreign/draft.ts";
import { translate } from "./foreign/translate.ts";
import type { Rung } from "./front-matter-rungs.ts";
import { readRights } from "./read-rights.ts";
import { rightOf } from "./rights.ts";

/** What came of the file of an agent. */
export interface AgentFile {
  /** Absent: nothing came of it. One that has an error about its rights, or about the whole front matter, has no tools. */
  readonly agent?: Agent;
  readonly diagnostics: readonly Diagnostic[];
  /** How the front matter could be read. */
  readonly rung: Rung;
  readonly format: AgentFormat;
  /** What became of each field of the file. */
  readonly fields: readonly FieldOutcome[];
}

/** What is known besides the text. */
export interface AgentFileOptions {
  /** Where it is, for diagnostics. */
  readonly file?: string;
  /** The name of the file without its ending: what an agent is called whose front matter cannot be read. */
  readonly name?: string;
  /** Fields as files spell them, which beat those of the file; only undefined says nothing. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** Whose file it is; by default ours. `detect` finds it out. */
  readonly format?: AgentFormat | "detect";
  /** The names that the workspace gives to models, for files that name models of other programs. */
  readonly models?: readonly string[];
  /** Whether MCP servers that a file of another program brings count; by default they do not. */
  readonly servers?: boolean;
  /** The texts of files that a file of another program names, by the words that name them. */
  readonly files?: ReadonlyMap<string, string>;
}

/**
 * Reads the file of an agent: markdown, whose front matter holds the fields and whose text the instructions. Never throws.
 * Whatever is wrong is told with its line, and never gives the agent more tools than what could be read.
 */
export function parseAgentFile(text: string, options: AgentFileOptions = {}): AgentFile {
  const findings = createFindings(options.file);
  const bare = options.manifest ? "described" : formatOf(options, []) === "pegboard" ? "nothing" : "agent";
  return toFile(readParts(text, bare, findings), options, findings);
}

/** The same for fields that are a whole file, of a program whose agents are no markdown. */
export function toAgentFile(fields: readonly Field[], options: AgentFileOptions): AgentFile {
  return toFile({ fields, rung: "strict", line: 1, body: "", bodyLine: 1 }, options, createFindings(options.file));
}

function toFile(parts: AgentParts, options: AgentFileOptions, findings: Findings): AgentFile {
  const format = parts.format ?? formatOf(options, parts.fields);
  const { fields: own, instructions, reports } = toOwn(format, parts, options, findings);
  const fields = withManifest(own, options.manifest, findings);
  const body =
    [instructions, parts.body.trim()].filter(Boolean).join("\n\n") || sayDescription(format, fields, findings);
  const agent = findings.has("no-agent") ? undefined : readAgent(fields, { ...parts, body }, options, findings);
  return {
    ...(agent && !findings.has("no-agent") && { agent }),
    diagnostics: findings.diagnostics,
    rung: parts.rung,
    format,
    fields: format === "pegboard" ? findings.fields : mergeReports(parts.fields, findings.fields, reports),
  };
}

function formatOf({ format = "pegboard", file }: AgentFileOptions, fields: readonly Field[]): AgentFormat {
  return format === "detect" ? detectFormat(file, fields) : format;
}

function toOwn(format: AgentFormat, { fields, line }: AgentParts, options: AgentFileOptions, findings: Findings) {
  if (format === "pegboard") return { fields, instructions: "", reports: [] };
  const { name, models, servers, files } = options;
  return translate(fields, DIALECTS[format], { name, models, servers, files, line }, findings);
}

/** What an agent of another program is told when its file tells it nothing. */
function sayDescription(format: AgentFormat, fields: ReadonlyMap<string, Field>, findings: Findings): string {
  const description = fields.get("description");
  if (format === "pegboard" || typeof description?.value !== "string" || findings.has("no-agent")) return "";
  const message = "there is no text for the agent; its description takes the place";
  findings.add("warning", { code: "empty_body", message, place: description.place() });
  return description.value.trim();
}

/** What became of the fields that the file has: the word of whoever moved one counts before the word on where it went. */
function mergeReports(
  written: readonly Field[],
  read: readonly FieldOutcome[],
  moved: readonly FieldOutcome[],
): FieldOutcome[] {
  return written.flatMap(({ path }) => {
    const report = moved.find(({ field }) => field === path) ?? read.find(({ field }) => field === path);
    return report ? [report] : [];
  });
}

function withManifest(
  written: readonly Field[],
  manifest: AgentFileOptions["manifest"],
  findings: Findings,
): ReadonlyMap<string, Field> {
  const fields = new Map(written.map((field) => [field.path, field]));
  for (const [key, value] of Object.entries(manifest ?? {})) {
    if (value === undefined) continue;
    // Whichever way the file spells it, it is the same field.
    for (const { path } of written)
      if (rightOf(key) && rightOf(path)?.field === rightOf(key)?.field) fields.delete(path);
    try {
      fields.set(
        key,
        createField(key, copyJson(value), () => ({})),
      );
    } catch (error) {
      const message = `${key} of the manifest cannot be used: ${messageOf(error)}`;
      findings.add("no-agent", { code: "invalid_value", message });
    }
  }
  return fields;
}

function readAgent(
  fields: ReadonlyMap<string, Field>,
  { rung, line, body, bodyLine }: AgentParts,
  options: AgentFileOptions,
  findings: Findings,
): Agent | undefined {
  const isUnreadable = rung === "none" && findings.has("no-tools");
  const unnamed = isUnreadable && !fields.has("name") ? toName(options.name ?? "") : undefined;
  const name = unnamed ?? readName(fields.get("name"), line, findings);
  const { description = "", ...plain } = readAgentFields(fields, findings);
  const { mode, ...tools } = readRights(fields.values(), findings);
  const delegation = readDelegation({ ...plain, ...tools }, fields, findings);
  reportOtherKeys(fields.values(), findings);
  if (!fields.has("description") && !isUnreadable)
    findings.add("warning", {
      code: "missing_description",
      message: "description is missing: nobody can tell what the agent is for",
      place: { line },
      fix: "add description: what it does and when to use it",
    });
  const instructions = body.trim();
  if (instructions === "")
    findings.add("no-agent", {
      code: "empty_body",
      message: "there is no text below the front matter: the agent has no instructions",
      place: { line: bodyLine },
      fix: "write what the agent is to do below the second ---",
    });
  if (name === undefined) return undefined;
  const rights =
    mode === "none" || findings.has("no-tools") ? { ...delegation, tools: [] } : { ...tools, ...delegation };
  return {
    name,
    description: description.trim(),
    instructions,
    ...plain,
    ...rights,
    ...(mode === "read-only" && { mode }),
  };
}
