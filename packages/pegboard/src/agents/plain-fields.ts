import { createField, type Field } from "./field.ts";

/** `key: words`: what any YAML reader takes for a text. A colon or a hash with a blank beside it would be more than words. */
const LINE = /^([A-Za-z_][A-Za-z0-9_-]*): ([A-Za-z](?:[^:#\P{ASCII}\p{Cc}]|:(?=[!-~]))*(?<! ))$/u;
const WORDS = /^(?:true|false|null)$/i;
const RESERVED = ["__proto__", "constructor", "prototype"];
const MOST = 256;

/**
 * The fields of a front matter that is nothing but lines `key: words`, which most are: reading these as YAML comes to the
 * same and takes most of the time of a check. Undefined for any other.
 */
export function readPlainFields(text: string, firstLine: number): readonly Field[] | undefined {
  const fields = new Map<string, Field>();
  for (const [index, line] of text.replace(/\n$/, "").split("\n").entries()) {
    const [, key, value] = LINE.exec(line) ?? [];
    if (key === undefined || value === undefined || WORDS.test(value) || RESERVED.includes(key)) return undefined;
    if (fields.has(key) || index >= MOST) return undefined;
    const place = { line: firstLine + index, column: 1 };
    fields.set(
      key,
      createField(key, value, () => place),
    );
  }
  return [...fields.values()];
}
