import { readFileSync } from "node:fs";
import { basename, extname } from "node:path";
import { parseYaml } from "../core/yaml.ts";
import type { FileKind } from "./inspect.ts";
import { CONFIG_FILE } from "./places.ts";

const MODULES = [".ts", ".mts", ".js", ".mjs"];
const YAML = [".yaml", ".yml"];

/** Whether a file holds code of tools. */
export function isModule(path: string): boolean {
  return MODULES.includes(extname(path));
}

/** Which of our own files it is; one that is not named after its kind is known by the keys it has. Undefined for others. */
export function ownKindOf(path: string): Exclude<FileKind, "agent"> | undefined {
  if (isModule(path)) return "tools";
  if (!YAML.includes(extname(path))) return undefined;
  if (basename(path) === CONFIG_FILE) return "config";
  const keys = Object.keys(topLevelOf(path));
  if (basename(path) === "policy.yaml" || keys.includes("rules")) return "policy";
  if (keys.some((key) => ["toolsets", "policy", "limits"].includes(key))) return "config";
  return "host-tools";
}

/** The keys and values of a YAML file; none when it cannot be read, which whoever reads it next tells. */
export function topLevelOf(path: string): Record<string, unknown> {
  try {
    return Object(parseYaml(readFileSync(path, "utf8"), path).value) as Record<string, unknown>;
  } catch {
    return {};
  }
}
