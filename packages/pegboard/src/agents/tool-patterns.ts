import type { Consequence, Field, Findings } from "./field.ts";
import { wrong } from "./field-readers.ts";

/** What a name or a glob of tools can look like. */
const PATTERN = /^[A-Za-z*][A-Za-z0-9_*-]*$/;
const MOST_CHARACTERS = 256;
const MOST_ENTRIES = 1_000;

/** Reads one name or glob; `!` before it, or `denies`, makes it one that is denied. */
export function readPattern(
  field: Field,
  findings: Findings,
  consequence: Consequence,
  denies = false,
): string | undefined {
  const { value } = field;
  const entry = typeof value === "string" ? value.trim() : "";
  const bare = entry.startsWith("!") ? entry.slice(1).trim() : entry;
  if (bare === "" || bare.length > MOST_CHARACTERS)
    return wrong(field, "the name of a tool, a pattern with *, or one of them after !", findings, consequence);
  const isDenial = denies || entry !== bare;
  if (PATTERN.test(bare)) return isDenial ? `!${bare}` : bare;
  return isDenial ? `!${deniable(field, bare, findings)}` : allowNothing(field, bare, findings);
}

/**
 * The entries of a list, or of a text as other programs write them: separated by commas or blanks, which do not count inside
 * of parentheses. Anything else, and too long a list, is wrong.
 */
export function listOf(field: Field, findings: Findings, consequence: Consequence): readonly Field[] | undefined {
  const { value } = field;
  const isText = typeof value === "string";
  const items = isText ? splitNames(value) : value;
  if (!Array.isArray(items) || items.length > MOST_ENTRIES) {
    const must = Array.isArray(items) ? `a list of at most ${MOST_ENTRIES} entries` : "a list of names";
    return wrong(field, must, findings, consequence, `write ${field.path}: [] for none, or leave it out`);
  }
  if (!isText) return items.map((_, index) => field.member(index));
  findings.add("warning", {
    code: "text_for_list",
    message: `${field.path} is a text; it is read as a list`,
    place: field.place(),
    fix: `write ${field.path}: ${JSON.stringify(items)}`,
  });
  return items.map((name: string) => ({ ...field, value: name }));
}

// What no tool is called stays in the list: without it, the list might be empty of names and so allow more.
function allowNothing(field: Field, entry: string, findings: Findings): string {
  const message = `${field.path}: no tool can be called ${JSON.stringify(entry)}, so it allows nothing`;
  findings.add("warning", { code: "no_such_name", message, place: field.place() });
  return entry;
}

// `Bash(rm:*)` denies some calls in other programs; here the tool is denied as a whole.
function deniable(field: Field, entry: string, findings: Findings): string {
  const [tool = ""] = entry.split("(", 1);
  const isTool = PATTERN.test(tool);
  const what = isTool ? `is denied as a whole: ${tool}` : "denies nothing: no tool can be called that";
  const message = `${field.path}: ${JSON.stringify(entry)} ${what}`;
  findings.add("warning", { code: "no_such_name", message, place: field.place() });
  return isTool ? tool : entry;
}

/** The names of a text: separated by commas or blanks, which do not count inside of parentheses. */
export function splitNames(text: string): string[] {
  const names: string[] = [];
  let name = "";
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth++;
    else if (character === ")") depth = Math.max(0, depth - 1);
    if (depth > 0 || !/[,\s]/.test(character)) name += character;
    else {
      names.push(name);
      name = "";
    }
  }
  return [...names, name].filter(Boolean);
}
