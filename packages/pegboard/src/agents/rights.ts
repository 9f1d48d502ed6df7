import { nearest } from "../core/nearest.ts";

/** How a field that says what an agent may do is spelled: as ours, or as another program's. */
export interface Spelling {
  readonly field: "tools" | "blocked_tools" | "toolsets" | "agents" | "mode" | "permissionMode" | "permissions";
  /** What it is to be written as, where it is another program's. */
  readonly own?: string;
}

const SPELLINGS: ReadonlyMap<string, Spelling> = new Map<string, Spelling>([
  ["tools", { field: "tools" }],
  ["allowed_tools", { field: "tools" }],
  ["allowedTools", { field: "tools", own: "tools" }],
  ["allowed-tools", { field: "tools", own: "tools" }],
  ["blocked_tools", { field: "blocked_tools" }],
  ["disallowedTools", { field: "blocked_tools", own: "blocked_tools" }],
  ["disallowed-tools", { field: "blocked_tools", own: "blocked_tools" }],
  ["disallowed_tools", { field: "blocked_tools", own: "blocked_tools" }],
  ["toolsets", { field: "toolsets" }],
  ["agents", { field: "agents" }],
  ["mode", { field: "mode" }],
  ["permissionMode", { field: "permissionMode", own: "mode" }],
  ["permission", { field: "permissions", own: "tools" }],
  ["permissions", { field: "permissions", own: "tools" }],
]);

/** The field of rights that a key is a spelling of. Whatever is lost of such a field could have forbidden something. */
export function rightOf(key: string): Spelling | undefined {
  return SPELLINGS.get(key);
}

/** The field of rights that an unknown key is most likely a slip of: one character, case or a hyphen away. */
export function slipOf(key: string): string | undefined {
  const plain = plainKey(key);
  for (const known of SPELLINGS.keys()) if (plainKey(known) === plain) return known;
  return nearest(key, SPELLINGS.keys(), 1);
}

/**
 * The key of a field of rights that is none of the fields and that a text mentions as one: a text that YAML was not asked to
 * read. `mode` counts only at the start of a line: it is a common word.
 */
export function rightIn(text: string, fields: ReadonlySet<string>): string | undefined {
  return findKey(fields, (key, field) => {
    const anywhere = field === "tools" || field === "blocked_tools";
    for (let at = text.indexOf(key); at >= 0; at = text.indexOf(key, at + 1)) {
      if (isKeyAt(text, at, key.length, anywhere)) return true;
    }
    return false;
  });
}

/** The same for lines that are no fields at all: there, a word at the start of a line is enough. */
export function rightInLines(lines: string, fields: ReadonlySet<string>): string | undefined {
  // With hyphens and without: `allowed-tools` is one key, and `tools-` is a slip of another.
  const wordsOf = (line: string) => [/[A-Za-z]\w*/, /[A-Za-z](?:[\w-]*\w)?/].map((word) => word.exec(line)?.[0]);
  const words = new Set(lines.split("\n").flatMap(wordsOf));
  return findKey(fields, (key) => words.has(key)) ?? rightIn(lines, fields);
}

function findKey(fields: ReadonlySet<string>, test: (key: string, field: string) => boolean): string | undefined {
  for (const [key, { field }] of SPELLINGS) if (!fields.has(field) && test(key, field)) return key;
  return undefined;
}

function isKeyAt(text: string, at: number, length: number, anywhere: boolean): boolean {
  // A bounded look to both sides: the time stays linear in the text.
  if (!/^["']?[ \t]{0,8}:/.test(text.slice(at + length, at + length + 12))) return false;
  if (anywhere) return !/[_-]/.test(text.charAt(at - 1));
  return /(?:^|\n)[ \t?-]{0,16}["']?$/.test(text.slice(Math.max(0, at - 20), at));
}

function plainKey(key: string): string {
  return key
    .toLowerCase()
    .replaceAll(/[^a-z]/g, "")
    .replace(/s$/, "");
}
