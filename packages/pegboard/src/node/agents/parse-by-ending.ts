import { extname } from "node:path";
import { type AgentFile, parseAgentFile } from "../../agents/agent-file.ts";
import { isRecipe, isRole, parseRecipe, readRole, type WholeFileOptions } from "../../agents/foreign/whole-file.ts";
import { readNamedFiles } from "./named-files.ts";

/** What is known of the file of an agent besides its text. */
export interface ParseOptions {
  readonly file: string;
  /** Its name without the ending. */
  readonly name: string;
  /** The names that the workspace gives to models. */
  readonly models?: readonly string[] | undefined;
  /** No file that it names may lie outside of it. */
  readonly root: string;
}

/** An agent's file, and the files that its text was filled in from. */
export type ParsedAgent = AgentFile & { readonly filledFrom: readonly string[] };

/**
 * Reads the file of an agent, whichever program it was written for: markdown, a role of Codex in TOML, a recipe of goose in
 * YAML or JSON. Resolves to undefined for a file of the latter kinds that is something else. Never rejects.
 */
export async function parseByEnding(
  text: string,
  { models = [], root, ...rest }: ParseOptions,
): Promise<ParsedAgent | undefined> {
  const options = { ...rest, models, servers: true };
  const parsed = await parse(text, options);
  if (!parsed || parsed.format !== "opencode" || !text.includes("{file:"))
    return parsed && { ...parsed, filledFrom: [] };
  const { texts, files } = await readNamedFiles(text, rest.file, root);
  return { ...(await parse(text, { ...options, files: texts }))!, filledFrom: files };
}

async function parse(text: string, options: WholeFileOptions): Promise<AgentFile | undefined> {
  const ending = extname(options.file).toLowerCase();
  if (ending === ".md") return parseAgentFile(text, { ...options, format: "detect" });
  if (ending !== ".toml") return isRecipe(text) ? parseRecipe(text, options) : undefined;
  const { parseToml } = await import("../../plugins/toml.ts");
  const { value, diagnostics } = parseToml(text, options.file);
  if (!value) return { diagnostics, rung: "none", format: "codex", fields: [] };
  return isRole(value) ? readRole(value, options) : undefined;
}
