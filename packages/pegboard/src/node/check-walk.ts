import { type Dirent, existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { CONFIG_FILE } from "./places.ts";

/** What a file may be, by its name and where it lies; `text` and `data` are told by what is in them. */
export type FileGuess = "skill" | "command" | "agent" | "opencode" | "servers" | "text" | "data";

/** A file that is worth a look. For a workspace and a plugin the path is the folder. */
export interface FoundFile {
  readonly path: string;
  readonly guess: FileGuess | "workspace" | "plugin";
}

/** What holds nothing that somebody wrote for here. */
const SKIPPED = ["node_modules", ".git", ".pegboard", ".claude-plugin", ".codex-plugin", "output-styles"];
/** What makes a folder a plugin: the file, and what is to be seen of it in the folder. */
const MARKERS = [
  ["plugin.json", "plugin.json"],
  ["gemini-extension.json", "gemini-extension.json"],
  [".claude-plugin/plugin.json", ".claude-plugin"],
  [".codex-plugin/plugin.json", ".codex-plugin"],
] as const;
/** What a folder holds that is more than a skill. */
const REPOSITORY = [".git", ".claude-plugin", "plugins", "skills"];
const MAX_DEPTH = 64;

const NAMES: Readonly<Record<string, FileGuess>> = {
  "opencode.json": "opencode",
  "opencode.jsonc": "opencode",
  ".mcp.json": "servers",
  "mcp.json": "servers",
};
const ABOUT = ["readme.md", "changelog.md", "contributing.md", "license.md", "claude.md", "agents.md", "gemini.md"];

/**
 * Everything below a folder that may be an agent, a skill, a command or a plugin, in the order of names, a plugin before what
 * is in it. Links to folders are not followed: what they lead to is found where it is. A folder that cannot be read holds nothing.
 */
export function findFiles(root: string): FoundFile[] {
  const found: FoundFile[] = [];
  const enter = (folder: string, within: Within, depth: number): void => {
    const entries = entriesOf(folder);
    const names = entries.map(({ name }) => name);
    // What else is in the folder of a skill is the skill's, unless it is a repository that holds more.
    const inside = names.some(isSkill) && !names.some((name) => REPOSITORY.includes(name)) ? "skill" : within;
    if (depth > 0 && names.includes(CONFIG_FILE)) return void found.push({ path: folder, guess: "workspace" });
    const isPlugin = MARKERS.some(([file, seen]) => names.includes(seen) && existsSync(join(folder, file)));
    if (inside !== "skill" && isPlugin) found.push({ path: folder, guess: "plugin" });
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH && !SKIPPED.includes(entry.name)) enter(path, toWithin(entry.name, inside), depth + 1);
      } else if (entry.isFile() || entry.isSymbolicLink()) {
        const guess = guessOf(entry.name, inside);
        if (guess) found.push({ path, guess });
      }
    }
  };
  enter(root, toWithin(basename(root), "anything"), 0);
  return found;
}

/** What the files of a folder are meant to be. */
type Within = "agents" | "commands" | "skill" | "anything";

function toWithin(name: string, around: Within): Within {
  if (around === "skill") return around;
  if (name === "agents" || name === "agent") return "agents";
  if (name === "commands" || name === "command") return "commands";
  // A folder of skills can lie in any other.
  return name === "skills" ? "anything" : around;
}

/** What a file may be, by its name and the kind of folder that it lies in. */
export function guessOf(name: string, within: Within = "anything"): FileGuess | undefined {
  if (isSkill(name)) return "skill";
  const lower = name.toLowerCase();
  if (within === "skill" || ABOUT.includes(lower)) return undefined;
  if (Object.hasOwn(NAMES, lower)) return NAMES[lower];
  if (/\.(?:agent|chatmode)\.md$/.test(lower)) return "agent";
  if (lower.endsWith(".md")) return within === "agents" ? "agent" : within === "commands" ? "command" : "text";
  if (within === "agents" && lower.endsWith(".toml")) return "data";
  return within !== "commands" && /\.(?:ya?ml|json)$/.test(lower) && !/lock|^package|^tsconfig/.test(lower)
    ? "data"
    : undefined;
}

function isSkill(name: string): boolean {
  return name.toLowerCase() === "skill.md";
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
