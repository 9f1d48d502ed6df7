/** One fenced block of a document. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** The line of the opening fence, from 1. */
  readonly line: number;
  /** What the comment on the line above says: `run`, or `file tools/hello.ts`. */
  readonly marker?: Marker;
}

/** `<!-- kind -->` or `<!-- kind path -->`. */
export interface Marker {
  readonly kind: string;
  readonly path?: string;
}

const MARKER = /^<!-- ([a-z-]+)(?: (\S+))? -->$/;

/** The fenced blocks of a document, in order. A fence that is never closed reaches to the end. */
export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split("\n");
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const language = /^```(\S*)/.exec(lines[at]!)?.[1];
    if (language === undefined) continue;
    const end = lines.findIndex((line, index) => index > at && line.startsWith("```"));
    const body = lines.slice(at + 1, end < 0 ? undefined : end);
    const [, kind, path] = MARKER.exec(lines[at - 1] ?? "") ?? [];
    const marker = kind === undefined ? undefined : { kind, ...(path !== undefined && { path }) };
    blocks.push({ language, text: `${body.join("\n")}\n`, line: at + 1, ...(marker && { marker }) });
    at += body.length + 1;
  }
  return blocks;
}

/** A document without its fenced blocks: what is left is prose. */
function proseOf(markdown: string): string {
  let inside = false;
  const lines = markdown.split("\n").filter((line) => {
    const fence = line.startsWith("```");
    if (fence) inside = !inside;
    return !fence && !inside;
  });
  return lines.join("\n");
}

/** The texts between backticks. */
export function inlineCodeOf(markdown: string): string[] {
  return Array.from(proseOf(markdown).matchAll(/`([^`\n]+)`/g), ([, code]) => code!);
}

/** Where the links of a document lead. */
export function linksOf(markdown: string): string[] {
  const prose = proseOf(markdown).replaceAll(/`[^`\n]+`/g, "");
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ([, target]) => target!);
}

/** The names under which the headings of a document can be linked. */
export function anchorsOf(markdown: string): string[] {
  return Array.from(proseOf(markdown).matchAll(/^#+ (.+)$/gm), ([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

/** The rows of the first table below a heading, without its head; each a list of cells. */
export function tableBelow(markdown: string, heading: string): string[][] {
  const lines = markdown.split("\n");
  const start = lines.findIndex((line) => /^#+ /.test(line) && line.replace(/^#+ /, "") === heading);
  if (start < 0) throw new Error(`There is no heading "${heading}"`);
  const first = lines.findIndex((line, index) => index > start && line.startsWith("|"));
  const rows = lines.slice(
    first,
    lines.findIndex((line, index) => index > first && !line.startsWith("|")),
  );
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split("|")
      .map((cell) => cell.trim()),
  );
}
