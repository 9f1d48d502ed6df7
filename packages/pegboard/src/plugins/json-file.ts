import type { Diagnostic } from "../core/diagnostic.ts";
import { type JsonText, parseJsonText } from "../core/json-text.ts";

/** A JSON file of somebody else. Without an object in it there is an error among the diagnostics. */
export interface JsonFile extends Pick<JsonText, "diagnostics" | "at"> {
  readonly value?: Readonly<Record<string, unknown>>;
}

/** Reads a JSON file that must hold an object. Never throws. */
export function parseJsonFile(text: string, file: string): JsonFile {
  const { value, diagnostics, at } = parseJsonText(text, file);
  if (diagnostics.length > 0) return { diagnostics, at };
  if (isObject(value)) return { value, diagnostics, at };
  const message = "it must hold an object: { … }";
  return { diagnostics: [{ severity: "error", code: "invalid_value", message, file, ...at("") }], at };
}

/** The same for files of programs that are less strict: raw control characters in texts, and keys that are there twice. */
export function parseLooseJson(text: string, file: string): JsonFile {
  const strict = parseJsonFile(text, file);
  if (strict.value) return strict;
  try {
    // oxlint-disable-next-line no-control-regex
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, "").replaceAll(/[\u0000-\u001f]/g, " "));
    if (!isObject(value)) return strict;
    const diagnostics = strict.diagnostics.map((one): Diagnostic => ({
      ...one,
      severity: "warning",
      code: "json_recovered",
    }));
    return { value, diagnostics, at: strict.at };
  } catch {
    return strict;
  }
}

/** Whether a value of a JSON file is an object with keys. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
