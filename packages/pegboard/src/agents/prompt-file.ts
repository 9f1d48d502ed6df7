import type { Field, Findings } from "./field.ts";
import { keyOf, plainLines, splitFile, type SplitFile, TOO_LONG } from "./front-matter.ts";
import { readFrontMatter, type Rung } from "./front-matter-rungs.ts";
import { warnOfHiddenText } from "./hidden-text.ts";

/** A markdown file that is a text for a model first: its front matter may be missing. */
export interface PromptFile {
  readonly fields: ReadonlyMap<string, Field>;
  readonly rung: Rung;
  /** Without blanks around it. */
  readonly body: string;
  /** The line of the file that the body starts at. */
  readonly bodyLine: number;
}

/** Reads the fields and the text of a skill or a command. Never throws; "no-agent" among the findings means no use. */
export function readPromptFile(text: string, findings: Findings): PromptFile {
  const split = splitFile(text);
  if (typeof split !== "string") {
    if (split.fenced) warn("front_matter_fenced", "the front matter is inside of a code block", findings);
    return readSplit(split, findings);
  }
  if (TOO_LONG[split] !== undefined) {
    findings.add("no-agent", { code: "too_large", message: TOO_LONG[split] });
    return { fields: new Map(), rung: "none", body: "", bodyLine: 1 };
  }
  const whole = plainLines(text);
  if (split === "open") {
    const message = `the front matter has no line --- that ends it; the ${findings.what} gets no tools`;
    const fix = "add a line --- below the fields";
    findings.add("no-tools", { code: "front_matter_open", message, place: { line: 1 }, fix });
    return readSplit(splitOpen(whole), findings);
  }
  // A command may be a prompt and nothing else.
  if (findings.what === "skill") warn("no_front_matter", "there is no front matter", findings);
  warnOfHiddenText(whole, "the text", 1, findings);
  return { fields: new Map(), rung: "none", ...trimmed(whole, 1) };
}

/** What a field says in a text: numbers and lists of texts count as well. Undefined for anything else. */
export function textOf(field: Field | undefined): string | undefined {
  const value = field?.value;
  const isText = (one: unknown) => ["string", "number", "boolean"].includes(typeof one);
  const text = Array.isArray(value) && value.every(isText) ? value.join(", ") : isText(value) ? String(value) : "";
  return text.trim() === "" ? undefined : text.trim();
}

/** The first words of a text that tell what it is about: its first paragraph, else its first heading. */
export function firstWords(body: string): string {
  const lines = body.split("\n", 200).map((line) => line.trim());
  const plain = lines.find((line) => /^[\p{L}\p{N}"'*_([]/u.test(line));
  const heading = lines.find((line) => /^#+ \S/.test(line))?.replace(/^#+ /, "");
  return (plain ?? heading ?? "").replaceAll(/[*_`]{1,3}/g, "").slice(0, 250);
}

function readSplit(split: SplitFile, findings: Findings): PromptFile {
  const { fields, rung } = readFrontMatter(split, findings);
  warnOfHiddenText(split.yaml, "the front matter", split.yamlLine, findings);
  warnOfHiddenText(split.body, "the text", split.bodyLine, findings);
  return { fields: new Map(fields.map((field) => [field.path, field])), rung, ...trimmed(split.body, split.bodyLine) };
}

/** Takes the lines that look like fields for the front matter, up to the first that does not. */
function splitOpen(text: string): SplitFile {
  const lines = text.split("\n");
  const opening = lines.findIndex((line) => line.trim() !== "");
  let end = opening + 1;
  while (end < lines.length && (keyOf(lines[end]!) !== undefined || /^(?:[ \t]+|- )\S/.test(lines[end]!))) end++;
  return {
    yaml: lines.slice(opening + 1, end).join("\n"),
    yamlLine: opening + 2,
    body: lines.slice(end).join("\n"),
    bodyLine: end + 1,
    fenced: false,
  };
}

function trimmed(body: string, line: number): Pick<PromptFile, "body" | "bodyLine"> {
  const before = body.slice(0, body.length - body.trimStart().length);
  return { body: body.trim(), bodyLine: line + before.split("\n").length - 1 };
}

function warn(code: string, message: string, findings: Findings): void {
  findings.add("warning", { code, message: `${message}; it is read all the same`, place: { line: 1 } });
}
