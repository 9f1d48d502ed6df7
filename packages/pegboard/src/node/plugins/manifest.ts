import type { JsonSchema } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import { pointerSegment } from "../../core/json.ts";
import { parseJsonText } from "../../core/json-text.ts";
import type { Problem } from "../../core/schema.ts";
import { checkConfig } from "../check-config.ts";
import { checkMeaning, type Tell } from "./manifest-meaning.ts";
import { MANIFEST_SCHEMA } from "./manifest-schema.ts";
import type { WrittenSettings } from "./settings.ts";

/** One tool of a manifest, as it is written. */
export interface ManifestTool {
  readonly name: string;
  readonly description: string;
  readonly command: string;
  readonly args?: readonly string[];
  readonly schema?: JsonSchema;
  readonly required_agent?: string;
  readonly visible_to?: readonly string[];
  readonly timeout?: number | string;
  readonly requiresConfirmation?: boolean;
  readonly usageGuidance?: string;
  readonly capabilities?: readonly string[];
  readonly version?: string;
}

/** One agent of a manifest, as it is written; without a name or a file it is none. */
export interface ManifestAgent extends Readonly<Record<string, unknown>> {
  readonly name?: unknown;
  readonly system_prompt_file?: unknown;
}

/** A `plugin.json` that may be worked with. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description?: string;
  readonly tools?: readonly ManifestTool[];
  readonly agents?: readonly ManifestAgent[];
  readonly config?: WrittenSettings | { readonly schema: WrittenSettings };
  readonly activationMode?: "always" | "tagged";
  readonly runtime?: "node" | "python3";
  readonly dependencies?: { readonly file: string };
}

/** What came of a manifest; with an error in it there is none. */
export interface ManifestFile {
  readonly manifest?: Manifest;
  readonly diagnostics: readonly Diagnostic[];
  /** Where a JSON pointer leads. */
  at(pointer: string): { readonly line: number; readonly column: number };
}

/** Reads the text of a `plugin.json`. Never throws; everything that is wrong is told at once. */
export function parseManifest(text: string, file: string): ManifestFile {
  const { value, diagnostics, at } = parseJsonText(text, file);
  if (diagnostics.length > 0) return { diagnostics, at };
  return { ...readManifest(value, file, at), at };
}

/** Reads the fields of a manifest that stand in another file. Never throws. */
export function readManifest(value: unknown, file: string, at: ManifestFile["at"]): Omit<ManifestFile, "at"> {
  const diagnostics: Diagnostic[] = [];
  const tell: Tell = (pointer, message, severity = "error", code = "invalid_value") =>
    diagnostics.push({ severity, code, message: `${toField(pointer)}${message}`, file, ...at(pointer) });
  const problems = checkConfig(MANIFEST_SCHEMA, value);
  for (const problem of problems) tellProblem(problem, tell);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  if (isObject)
    checkMeaning(value as Readonly<Record<string, unknown>>, new Set(problems.map(({ path }) => path)), tell);
  const isBad = diagnostics.some(({ severity }) => severity === "error");
  return { ...(!isBad && { manifest: value as Manifest }), diagnostics };
}

function tellProblem({ path, message, keyword, params }: Problem, tell: Tell): void {
  if (keyword === "additionalProperties")
    tell(`${path}${pointerSegment(String(params?.["additionalProperty"]))}`, message, "error", "unknown_key");
  else tell(path, message);
}

function toField(pointer: string): string {
  return pointer === "" ? "" : `${pointer}: `;
}
