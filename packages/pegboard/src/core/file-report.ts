import type { Diagnostic } from "./diagnostic.ts";

/** What became of one field of a file: taken as it is, taken as what comes closest, left out, or left out as a danger. */
export interface FieldReport {
  readonly field: string;
  readonly became: "mapped" | "approximated" | "ignored" | "unsafe";
  readonly note?: string;
}

/** What became of one file that somebody wrote, field by field. */
export interface FileReport {
  readonly path: string;
  /** What it is: `agent`, `skill`, `command`, `plugin`, … */
  readonly kind: string;
  /** Whose form it has: `pegboard`, `claude`, `gemini`, … */
  readonly format: string;
  readonly loaded: boolean;
  /** How its front matter could be read. */
  readonly rung?: string;
  readonly name?: string;
  readonly description?: string;
  /** The names of the tools that it yields; of an agent, its list. */
  readonly tools?: readonly string[];
  readonly fields: readonly FieldReport[];
  readonly diagnostics: readonly Omit<Diagnostic, "file">[];
}
