/** The two parts of an agent's file. Lines are counted from 1, and each ends with one line feed. */
export interface SplitFile {
  readonly yaml: string;
  /** The line that the front matter starts at, after the opening `---`. */
  readonly yamlLine: number;
  readonly body: string;
  readonly bodyLine: number;
  /** The front matter is inside of a code block, where it was shown as an example. */
  readonly fenced: boolean;
}

/** Why a file has no two parts. */
export type SplitProblem = "none" | "open" | "long-front-matter" | "long-body" | "long-file";

const MAX_YAML = 65_536;
const MAX_BODY = 1024 * 1024;
const MAX_FILE = MAX_YAML + MAX_BODY + 1_024;

/** What is too long, in words. */
export const TOO_LONG: Partial<Record<SplitProblem, string>> = {
  "long-front-matter": `the front matter has more than ${MAX_YAML} characters, or no line --- that ends it`,
  "long-body": `the text below the front matter has more than ${MAX_BODY} characters`,
  "long-file": `the file has more than ${MAX_FILE} characters`,
};

const MARK = /^---[ \t]*$/;
const CODE_FENCE = /^`{3,}[A-Za-z]*[ \t]*$/;
const CODE_END = /^`{3,}[ \t]*$/;

/**
 * Finds the front matter of a file: from a line `---` at its start, which blank lines may stand before, to the next line
 * that is `---` and nothing else. A text that is too long is not looked at.
 */
export function splitFile(text: string): SplitFile | SplitProblem {
  if (text.length > MAX_FILE) return "long-file";
  const whole = plainLines(text);
  let opening = nextLine(whole, { end: 0, number: 0 });
  while (opening && isBlank(opening.text)) opening = nextLine(whole, opening);
  const fenced = opening !== undefined && CODE_FENCE.test(opening.text);
  if (fenced)
    do opening = nextLine(whole, opening!);
    while (opening && isBlank(opening.text));
  if (!opening || !MARK.test(opening.text)) return "none";

  let closing = nextLine(whole, opening);
  while (closing && !MARK.test(closing.text)) {
    if (closing.end - opening.end > MAX_YAML) return "long-front-matter";
    closing = nextLine(whole, closing);
  }
  if (!closing) return "open";
  const body = whole.slice(closing.end);
  if (body.length > MAX_BODY) return "long-body";
  return {
    yaml: whole.slice(opening.end, closing.start),
    yamlLine: opening.number + 1,
    body: fenced ? withoutFence(body) : body,
    bodyLine: closing.number + 1,
    fenced,
  };
}

/** A text without a byte order mark, its lines ended the one way that YAML, we and a person agree on. */
export function plainLines(text: string): string {
  return (text.startsWith("\uFEFF") ? text.slice(1) : text).replaceAll(/\r\n?/g, "\n");
}

/** The first lines of a body that are a front matter too: the line of the `---` that ends them, or undefined. */
export function findSecondBlock(body: string, isField: (key: string) => boolean): number | undefined {
  let line = nextLine(body, { end: 0, number: 0 });
  while (line && isBlank(line.text)) line = nextLine(body, line);
  if (line && MARK.test(line.text)) line = nextLine(body, line);
  let holdsField = false;
  while (line && line.end < MAX_YAML && !MARK.test(line.text)) {
    const key = keyOf(line.text);
    if (key === undefined && !/^(?:[ \t]|-[ \t]|$)/.test(line.text)) return undefined;
    holdsField ||= key !== undefined && isField(key);
    line = nextLine(body, line);
  }
  return line && holdsField && MARK.test(line.text) ? line.number : undefined;
}

/** The key of a line `key: value` that starts at the left edge, quoted or not. */
export function keyOf(line: string): string | undefined {
  return /^(["']?)([A-Za-z_][A-Za-z0-9_-]*)\1[ \t]*:(?=[ \t]|$)/.exec(line)?.[2];
}

interface Line {
  readonly text: string;
  readonly start: number;
  /** Where the next line starts. */
  readonly end: number;
  readonly number: number;
}

function nextLine(text: string, { end: start, number }: Pick<Line, "end" | "number">): Line | undefined {
  if (start >= text.length) return undefined;
  const feed = text.indexOf("\n", start);
  const end = feed < 0 ? text.length : feed + 1;
  return { text: text.slice(start, feed < 0 ? end : feed), start, end, number: number + 1 };
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}

// The code block ends right after the front matter, or at the end of the file.
function withoutFence(body: string): string {
  const trimmed = body.trim();
  const [first = ""] = trimmed.split("\n", 1);
  const last = trimmed.slice(trimmed.lastIndexOf("\n") + 1);
  if (CODE_END.test(first)) return body.replace(first, "");
  return CODE_END.test(last) ? trimmed.slice(0, -last.length) : body;
}
