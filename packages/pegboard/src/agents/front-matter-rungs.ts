import { createField, type Field, type Findings, type Place } from "./field.ts";
import { keyOf, type SplitFile } from "./front-matter.ts";
import { readPlainFields } from "./plain-fields.ts";
import { quoteValues } from "./quote-values.ts";
import { rightIn, rightInLines, rightOf } from "./rights.ts";
import { MAX_FIELDS, readYaml, type Unread } from "./yaml-fields.ts";

/**
 * How a front matter could be read: as YAML; with some values in quotes and tabs as blanks; with some values as plain
 * text; without lines that are no field; not at all.
 */
export type Rung = (typeof RUNGS)[number];
const RUNGS = ["strict", "quoted", "blocks", "lines", "none"] as const;

/** The fields of a front matter, and how they were read. */
export interface FrontMatter {
  readonly fields: readonly Field[];
  readonly rung: Rung;
}

/**
 * Reads the fields of a front matter. Where it is no YAML, each field is read on its own, by the lowest rung that does, with
 * a warning. Fields that say what the agent may do are never guessed: when one of them may be lost, that means no tools.
 */
export function readFrontMatter({ yaml, yamlLine }: SplitFile, findings: Findings): FrontMatter {
  const plain = readPlainFields(yaml, yamlLine);
  if (plain) return { fields: plain, rung: "strict" };
  const whole = readYaml(yaml, yamlLine);
  if (whole.ok) {
    // At the left edge a field is a field, also where YAML sees a text.
    const keys = yaml.split("\n").flatMap((line) => keyOf(line) ?? []);
    const lost = keys.find((key) => rightOf(key) && whole.fields.every(({ path }) => path !== key));
    if (lost !== undefined) lose(lost, UNREAD, { line: yamlLine }, findings);
    return { fields: whole.fields, rung: "strict" };
  }
  const segments = whole.refused ? [] : toSegments(yaml, yamlLine);
  if (segments.length > MAX_FIELDS || segments.every(({ key }) => key === undefined)) return giveUp(whole, findings);
  const parts: Part[] = [];
  for (const segment of segments) {
    const part = readSegment(segment);
    if (!part.ok) return giveUp(part, findings);
    parts.push(part);
  }
  return join(parts, whole, yamlLine, findings);
}

function join(parts: readonly Part[], { fault }: Unread, line: number, findings: Findings): FrontMatter {
  const fields = new Map<string, Field>();
  for (const part of parts) {
    if (part.rung !== "strict") report(part, findings);
    for (const field of part.fields) {
      if (!fields.has(field.path)) fields.set(field.path, field);
      else if (rightOf(field.path)) lose(field.path, "it is there twice", field.place(), findings);
      else warn(`${field.path} is there twice; the first one counts`, field.place(), findings);
    }
  }
  const read = new Set(Array.from(fields.keys(), (key) => rightOf(key)?.field ?? key));
  const textOf = (key: "unread" | "strays") => parts.map((part) => part[key]).join("\n");
  const lost = rightIn(textOf("unread"), read) ?? rightInLines(textOf("strays"), read);
  if (lost !== undefined) lose(lost, UNREAD, { line }, findings);
  const highest = RUNGS[Math.max(...parts.map(({ rung }) => RUNGS.indexOf(rung)))]!;
  if (highest !== "strict") return { fields: [...fields.values()], rung: highest };
  // Each field is good on its own, and they are not together.
  warn(`the front matter is no valid YAML (${fault.message}); each field was read on its own`, fault, findings);
  return { fields: [...fields.values()], rung: "lines" };
}

/** A field with the lines that belong to it; without a key, the lines before the first field. */
interface Segment {
  readonly key: string | undefined;
  readonly line: number;
  readonly lines: readonly string[];
}

function toSegments(yaml: string, firstLine: number): Segment[] {
  const segments: (Segment & { lines: string[] })[] = [];
  for (const [index, line] of yaml.split("\n").entries()) {
    const key = keyOf(line);
    const last = segments.at(-1);
    if (key === undefined && last) last.lines.push(line);
    else segments.push({ key, line: firstLine + index, lines: [line] });
  }
  return segments;
}

/** What came of a segment. */
interface Part {
  readonly ok: true;
  readonly segment: Segment;
  readonly rung: Exclude<Rung, "none">;
  readonly fields: readonly Field[];
  /** What of it is text that YAML did not take for one. */
  readonly unread: string;
  /** The lines of it that are left out. */
  readonly strays: string;
  readonly fault?: Unread["fault"];
}

function readSegment(segment: Segment): Part | Unread {
  const { key, line, lines } = segment;
  const text = lines.join("\n");
  const strict = readYaml(text, line);
  if (strict.ok) return { ok: true, segment, rung: "strict", fields: strict.fields, unread: "", strays: "" };
  if (strict.refused) return strict;
  const came = (rung: Part["rung"], fields: readonly Field[], unread = text, strays = ""): Part => ({
    ok: true,
    segment,
    rung,
    fields,
    unread,
    strays,
    fault: strict.fault,
  });
  if (key === undefined) return came("lines", [], text, text);
  const quoted = readYaml(quoteValues(lines).join("\n"), line);
  if (quoted.ok) {
    const isText = quoted.fields.every(({ value }) => typeof value === "string");
    return came("quoted", quoted.fields, isText ? text : "");
  }
  if (quoted.refused) return quoted;
  if (rightOf(key)) return came("lines", [], "");
  const kept = lines.filter((one, index) => index === 0 || !isStray(one));
  if (kept.length === lines.length)
    return came("blocks", [createField(key, toText(kept), () => ({ line, column: 1 }))]);
  const rest = readSegment({ key, line, lines: kept });
  return rest.ok ? came("lines", rest.fields, rest.unread, lines.filter(isStray).join("\n")) : rest;
}

// Lists may start at the left edge, and lists in brackets may end there.
function isStray(line: string): boolean {
  return !/^(?:[ \t#\]}]|-[ \t]|-?$)/.test(line);
}

/** A value as it is written, without the blanks that its lines share. */
function toText([first = "", ...rest]: readonly string[]): string {
  const start = first.slice(first.indexOf(":") + 1).trim();
  const written = rest.filter((line) => line.trim() !== "");
  const indent = Math.min(...written.map((line) => line.length - line.trimStart().length));
  const lines = rest.map((line) => line.slice(Number.isFinite(indent) ? indent : 0).trimEnd());
  return [...(/^[|>][-+0-9]*$/.test(start) ? [] : [start]), ...lines].join("\n").trim();
}

const HOW = {
  quoted: "it was read with its text in quotes and tabs as blanks",
  blocks: "it was read as plain text",
  lines: "lines that are no field were left out",
};

function report({ segment: { key, line }, rung, fields, fault }: Part, findings: Findings): void {
  const { message, ...place } = fault!;
  if (key !== undefined && rightOf(key) && fields.length === 0) return lose(key, message, { line }, findings);
  const how = HOW[rung as keyof typeof HOW];
  return warn(`${key ?? "the front matter"} is no valid YAML (${message}); ${how}`, place, findings);
}

function warn(message: string, { line, column }: Place, findings: Findings): void {
  const place = { ...(line !== undefined && { line }), ...(column !== undefined && { column }) };
  findings.add("warning", {
    code: "front_matter_recovered",
    message,
    place,
    fix: "indent with blanks, and put texts in quotes",
  });
}

const UNREAD = "it stands where no field can be read";

function lose(key: string, message: string, place: Place, findings: Findings): void {
  findings.became(key, "unsafe");
  findings.add("no-tools", {
    code: "rights_unreadable",
    message: `${key} cannot be read (${message}): the ${findings.what} gets no tools`,
    place,
    fix: `write ${key} as valid YAML on a line of its own`,
  });
}

function giveUp({ fault: { message, ...place } }: Unread, findings: Findings): FrontMatter {
  findings.add("no-tools", {
    code: "front_matter_unreadable",
    message: `the front matter cannot be read: ${message}; the ${findings.what} gets no tools`,
    place,
    fix: "write it as fields: name: …, description: …",
  });
  return { fields: [], rung: "none" };
}
