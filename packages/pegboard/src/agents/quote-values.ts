import { parseYaml } from "../core/yaml.ts";
import { rightOf } from "./rights.ts";

/** `- key: value`: what stands before the key, the key, and the value. */
const PAIR = /^([ \t]*(?:-[ \t]+)*)(["']?)([A-Za-z_][A-Za-z0-9_-]*)\2:[ \t]+(\S[^]*)$/;
const BLOCK = /^[|>][-+0-9]*[ \t]*$/;

/** What is beyond is left as it is: each try costs as much as reading a line. */
const MAX_TRIES = 200;

/**
 * The lines of a front matter with tabs at their start as blanks, and with quotes around every value that is no YAML on its
 * own. The values of fields that say what an agent may do stay as they are, and so does text in blocks.
 */
export function quoteValues(lines: readonly string[]): string[] {
  let tries = 0;
  /** The column that the lines of a block of text are right of. */
  let block: number | undefined;
  return lines.map((line) => {
    const blanks = /^[ \t]*/.exec(line)![0];
    const plain = blanks.replaceAll("\t", "  ") + line.slice(blanks.length);
    if (block !== undefined && (plain.trim() === "" || columnOf(plain) > block)) return plain;
    block = undefined;
    const pair = PAIR.exec(plain);
    if (!pair) return plain;
    const [, lead = "", , key = "", value = ""] = pair;
    if (BLOCK.test(value)) block = lead.length;
    if (block !== undefined || rightOf(key) || ++tries > MAX_TRIES || isYaml(value)) return plain;
    return `${lead}${key}: '${value.trimEnd().replaceAll("'", "''")}'`;
  });
}

function columnOf(line: string): number {
  return line.length - line.trimStart().length;
}

function isYaml(value: string): boolean {
  return parseYaml(`key: ${value}`, "").diagnostics.length === 0;
}
