import { extname } from "node:path";
import { type AgentFile, parseAgentFile } from "../../agents/agent-file.ts";
import { isRecipe, isRole, parseRecipe, readRole } from "../../agents/foreign/whole-file.ts";

/** What is known of the file of an agent besides its text. */
export interface ParseOptions {
  readonly file: string;
  /** Its name without the ending. */
  readonly name: string;
  /** The names that the workspace gives to models. */
  readonly models?: readonly string[] | undefined;
}

/**
 * Reads the file of an agent, whichever program it was written for: markdown, a role of Codex in TOML, a recipe of goose in
 * YAML or JSON. Resolves to undefined for a file of the latter kinds that is something else. Never rejects.
 */
export async function parseByEnding(
  text: string,
  { models = [], ...rest }: ParseOptions,
): Promise<AgentFile | undefined> {
  const options = { ...rest, models, servers: true };
  const ending = extname(rest.file).toLowerCase();
  if (ending === ".md") return parseAgentFile(text, { ...options, format: "detect" });
  if (ending !== ".toml") return isRecipe(text) ? parseRecipe(text, options) : undefined;
  const { parseToml } = await import("../../plugins/toml.ts");
  const { value, diagnostics } = parseToml(text, rest.file);
  if (!value) return { diagnostics, rung: "none", format: "codex", fields: [] };
  return isRole(value) ? readRole(value, options) : undefined;
}
