import type { Agent } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf } from "../core/error.ts";
import { copyJson } from "../core/json.ts";
import { isAgentField, readAgentFields, reportOtherKeys } from "./agent-fields.ts";
import { readName, toName } from "./agent-name.ts";
import { createField, createFindings, type Field, type FieldOutcome, type Findings } from "./field.ts";
import { findSecondBlock, plainLines, splitFile, type SplitProblem, TOO_LONG } from "./front-matter.ts";
import { readFrontMatter, type Rung } from "./front-matter-rungs.ts";
import { findHiddenText } from "./hidden-text.ts";
import { readRights } from "./read-rights.ts";
import { rightOf } from "./rights.ts";

/** What came of the file of an agent. */
export interface AgentFile {
  /** Absent: nothing came of it. One that has an error about its rights, or about the whole front matter, has no tools. */
  readonly agent?: Agent;
  readonly diagnostics: readonly Diagnostic[];
  /** How the front matter could be read. */
  readonly rung: Rung;
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
}

/**
 * Reads the file of an agent: markdown, whose front matter holds the fields and whose text the instructions. Never throws.
 * Whatever is wrong is told with its line, and never gives the agent more tools than what could be read.
 */
export function parseAgentFile(text: string, options: AgentFileOptions = {}): AgentFile {
  const findings = createFindings(options.file);
  const parts = readParts(text, options, findings);
  const fields = withManifest(parts.fields, options.manifest, findings);
  const agent = findings.has("no-agent") ? undefined : readAgent(fields, parts, options, findings);
  const { diagnostics, fields: outcomes } = findings;
  return { ...(agent && !findings.has("no-agent") && { agent }), diagnostics, rung: parts.rung, fields: outcomes };
}

interface Parts {
  readonly fields: readonly Field[];
  readonly rung: Rung;
  /** The line of the first `---`. */
  readonly line: number;
  readonly body: string;
  readonly bodyLine: number;
}

function readParts(text: string, { manifest }: AgentFileOptions, findings: Findings): Parts {
  const split = splitFile(text);
  if (typeof split === "string") {
    const body = TOO_LONG[split] === undefined ? plainLines(text) : "";
    // A manifest can say all that a front matter would; what looks like a broken one may have said something else.
    if (split !== "none" || !manifest || body.trimStart().startsWith("--")) reportUnsplit(split, findings);
    warnOfHiddenText(body, "the text", 1, findings);
    return { fields: [], rung: "none", line: 1, body, bodyLine: 1 };
  }
  const { body, bodyLine } = split;
  const line = split.yamlLine - 1;
  if (split.fenced)
    findings.add("warning", {
      code: "front_matter_fenced",
      message: "the front matter is inside of a code block; it is read as if it were not",
      place: { line },
      fix: "remove the lines with ```",
    });
  const front = readFrontMatter(split, findings);
  const second = findSecondBlock(body, isAgentField);
  if (second !== undefined)
    findings.add("no-tools", {
      code: "front_matter_cut",
      message: "more fields stand below the line --- that ends the front matter: the agent gets no tools",
      place: { line: bodyLine },
      fix: `end the front matter at line ${bodyLine + second - 1} only`,
    });
  warnOfHiddenText(split.yaml, "the front matter", split.yamlLine, findings);
  warnOfHiddenText(body, "the text", bodyLine, findings);
  return { ...front, line, body, bodyLine };
}

function reportUnsplit(problem: SplitProblem, findings: Findings): void {
  const place = { line: 1 };
  if (problem === "open") {
    const message = "the front matter has no line --- that ends it; the agent gets no tools";
    findings.add("no-tools", { code: "front_matter_open", message, place, fix: "add a line --- below the fields" });
  } else if (problem === "none") {
    const message = "there is no front matter: the file must start with a line that is --- and nothing else";
    const fix = "start it with ---, then name: …, description: …, then ---";
    findings.add("no-agent", { code: "no_front_matter", message, place, fix });
  } else findings.add("no-agent", { code: "too_large", message: TOO_LONG[problem]!, place });
}

function warnOfHiddenText(text: string, where: string, firstLine: number, findings: Findings): void {
  const hidden = findHiddenText(text);
  if (!hidden) return;
  findings.add("warning", {
    code: "hidden_characters",
    message: `${where} holds characters that cannot be seen: ${hidden.characters.join(", ")}`,
    place: { line: hidden.line + firstLine - 1 },
    fix: "remove them, or do not use this agent",
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
  { rung, line, body, bodyLine }: Parts,
  options: AgentFileOptions,
  findings: Findings,
): Agent | undefined {
  const isUnreadable = rung === "none" && findings.has("no-tools");
  const unnamed = isUnreadable && !fields.has("name") ? toName(options.name ?? "") : undefined;
  const name = unnamed ?? readName(fields.get("name"), line, findings);
  const { description = "", ...plain } = readAgentFields(fields, findings);
  const { mode, ...tools } = readRights(fields.values(), findings);
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
  const rights = mode === "none" || findings.has("no-tools") ? { tools: [] } : tools;
  return {
    name,
    description: description.trim(),
    instructions,
    ...plain,
    ...rights,
    ...(mode === "read-only" && { mode }),
  };
}
