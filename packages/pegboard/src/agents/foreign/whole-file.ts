import type { Diagnostic } from "../../core/diagnostic.ts";
import { messageOf } from "../../core/error.ts";
import { copyJson, pointerSegment } from "../../core/json.ts";
import { parseYaml } from "../../core/yaml.ts";
import { type AgentFile, type AgentFileOptions, toAgentFile } from "../agent-file.ts";
import { createField, type Field, isMapping, type Place } from "../field.ts";
import { blankComments } from "./comments.ts";

/** What is known of a file that is all fields. */
export type WholeFileOptions = AgentFileOptions & { readonly file: string };

/** Reads a recipe of goose: YAML or JSON. Never throws. */
export function parseRecipe(text: string, options: WholeFileOptions): AgentFile {
  const { value, diagnostics, at } = parseYaml(text, options.file);
  if (diagnostics.length > 0) return broken("goose", diagnostics);
  return readTable(value, { ...options, format: "goose" }, at);
}

/** Whether a text has the keys of a recipe at its outermost level, as far as a look tells: other YAML and JSON is no agent. */
export function isRecipe(text: string): boolean {
  const lead = text.trimStart().startsWith("{") ? '[ \\t{]*"' : "[\"']?";
  const has = (key: string) => new RegExp(`^${lead}${key}["']?[ \\t]*:`, "m").test(text);
  return has("title") && has("description") && (has("instructions") || has("prompt"));
}

/** Reads a role of Codex, of which the TOML was read already. Never throws. */
export function readRole(value: unknown, options: WholeFileOptions): AgentFile {
  return readTable(value, { ...options, format: "codex" }, () => ({}));
}

/** Whether a table is meant to be an agent's: a configuration of the same program is not. */
export function isRole(value: unknown): boolean {
  return isMapping(value) && ("developer_instructions" in value || ("name" in value && "description" in value));
}

/** Reads the agents of a configuration of opencode, with their keys: JSON, which may have comments. Never throws. */
export function parseOpencodeAgents(text: string, options: WholeFileOptions): readonly AgentFile[] {
  const { value, diagnostics, at } = parseYaml(blankComments(text), options.file);
  if (diagnostics.length > 0) return [broken("opencode", diagnostics)];
  return ["agent", "agents", "mode"].flatMap((key) => {
    const agents = isMapping(value) ? value[key] : undefined;
    if (!isMapping(agents)) return [];
    return Object.entries(agents).map(([name, agent]) => {
      const inner = pointerSegment(key) + pointerSegment(name);
      return readTable(agent, { ...options, name, format: "opencode" }, (pointer) => at(inner + pointer));
    });
  });
}

type Format = "goose" | "codex" | "opencode";

function readTable(
  value: unknown,
  options: WholeFileOptions & { readonly format: Format },
  at: (pointer: string) => Place,
): AgentFile {
  const { file, format } = options;
  try {
    if (!isMapping(value)) throw new TypeError("it holds no fields (key: value)");
    const table = copyJson(value) as Readonly<Record<string, unknown>>;
    const toField = (key: string): Field =>
      createField(key, table[key], (pointer) => at(pointerSegment(key) + pointer));
    return toAgentFile(Object.keys(table).map(toField), options);
  } catch (error) {
    return broken(format, [{ severity: "error", code: "not_loaded", message: messageOf(error), file, ...at("") }]);
  }
}

function broken(format: Format, diagnostics: readonly Diagnostic[]): AgentFile {
  return { diagnostics, rung: "none", format, fields: [] };
}
