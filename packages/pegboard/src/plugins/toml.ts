import { parse, TomlError } from "smol-toml";
import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf } from "../core/error.ts";

/** A TOML text: its table, or what is wrong with it. */
export interface TomlFile {
  readonly value?: Readonly<Record<string, unknown>>;
  readonly diagnostics: readonly Diagnostic[];
}

/** Nested deeper than this is nothing that somebody wrote. */
const MAX_DEPTH = 64;

/** Reads TOML. Never throws: a fault is an error with its line, and leaves no value. Times are texts. */
export function parseToml(text: string, file: string): TomlFile {
  try {
    const table = parse(text.replace(/^\uFEFF/, ""), { maxDepth: MAX_DEPTH, unsafeKeyBehaviour: "throw" });
    return { value: JSON.parse(JSON.stringify(table)) as Record<string, unknown>, diagnostics: [] };
  } catch (error) {
    const message = messageOf(error).split("\n", 1)[0]!;
    const place = error instanceof TomlError ? { line: error.line, column: error.column } : {};
    return { diagnostics: [{ severity: "error", code: "toml_syntax", message, file, ...place }] };
  }
}
