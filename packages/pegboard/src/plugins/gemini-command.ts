import type { Command } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { FieldReport } from "../core/file-report.ts";
import { parseToml } from "./toml.ts";

/** What came of the file of a command of Gemini. */
export interface GeminiCommand {
  /** Absent: nothing came of it. */
  readonly command?: Command;
  readonly diagnostics: readonly Diagnostic[];
  readonly fields: readonly FieldReport[];
}

/** What is known besides the text: where it is, and what people call it up by. */
export interface GeminiCommandOptions {
  readonly file: string;
  readonly name: string;
}

/** Reads a command of Gemini: TOML with `prompt` and `description`. Commands of a shell in the prompt are never run. */
export function parseGeminiCommand(text: string, { file, name }: GeminiCommandOptions): GeminiCommand {
  const { value, diagnostics: faults } = parseToml(text, file);
  if (!value) return { diagnostics: faults, fields: [] };
  const { prompt, description } = value;
  const diagnostics: Diagnostic[] = [];
  const fields = Object.keys(value).map((field): FieldReport =>
    field === "prompt" || field === "description"
      ? { field, became: "mapped" }
      : { field, became: "ignored", note: "unknown" },
  );
  if (typeof prompt !== "string" || prompt.trim() === "") {
    const message = "prompt is missing: the command has no text";
    return { diagnostics: [{ severity: "error", code: "missing_prompt", message, file }], fields };
  }
  const shell = /!\{[^}]*\}/.exec(prompt)?.[0];
  if (shell !== undefined) {
    const note = "it holds commands that would be run elsewhere, and never here";
    fields.splice(
      fields.findIndex(({ field }) => field === "prompt"),
      1,
      { field: "prompt", became: "unsafe", note },
    );
    const message = `the prompt holds commands that would be run elsewhere, and never here: ${JSON.stringify(shell.slice(0, 80))}`;
    diagnostics.push({ severity: "warning", code: "shell_not_run", message, file });
  }
  const command: Command = {
    name,
    description: typeof description === "string" && description.trim() !== "" ? description : firstLine(prompt),
    prompt: prompt.trim().replaceAll(/\{\{\s*args\s*\}\}/g, () => "$ARGUMENTS"),
  };
  return { command, diagnostics, fields };
}

function firstLine(text: string): string {
  return text.trim().split("\n", 1)[0]!.slice(0, 250);
}
