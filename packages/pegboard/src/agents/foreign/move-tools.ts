import type { Field } from "../field.ts";
import { splitNames } from "../tool-patterns.ts";
import type { Draft, Move } from "./draft.ts";
import { deniedWith, toolsOf } from "./tool-names.ts";

/** The names of everything that a list of another program leaves out. */
interface Left {
  readonly unknown: string[];
  readonly partial: string[];
}

/**
 * A list of tools that are allowed, as a list or a text. Tools that are not known are left out and told; one that is allowed
 * for certain inputs only (`Bash(git:*)`) is too, because all of it would be more. `*` is what holds without a list.
 */
export const moveTools: Move = (field, draft) => {
  const left: Left = { unknown: [], partial: [] };
  const names = namesOf(field, left);
  // What is no list may be a restriction all the same: our own reader has the strict word on it.
  if (!names) return draft.put("tools", field.value, field);
  if (names.includes("*")) return draft.became(field.path, "approximated", "all tools that agents have by default");
  const tools = allowNames(names, field, draft, left);
  const isSame = tools.join() === names.join();
  draft.became(field.path, isSame ? "mapped" : "approximated", isSame ? undefined : describe(tools));
};

/** Allows the tools that another program has these names for, and tells what is left out. */
export function allowNames(
  names: readonly string[],
  field: Field,
  draft: Draft,
  left: Left = { unknown: [], partial: [] },
): readonly string[] {
  const tools = names.flatMap((name) => toAllowed(name, draft, field, left));
  draft.allow(tools, field);
  reportLeft(field, left, draft);
  return tools;
}

/** A list of tools that are denied. A tool that is denied for certain inputs is denied as a whole. */
export const moveDenials: Move = (field, draft) => {
  const left: Left = { unknown: [], partial: [] };
  const names = namesOf(field, left);
  if (!names || left.unknown.length > 0) return draft.put("blocked_tools", field.value, field);
  const tools = names.flatMap((name) => toDenied(name, draft));
  draft.deny(tools, field);
  draft.became(field.path, "approximated", `denied: ${tools.join(", ") || "nothing"}`);
};

/** What is denied when a name of another program is: what it is not known by here stays denied by that name. */
export function toDenied(name: string, { dialect }: Draft): readonly string[] {
  const [bare = ""] = name.split("(", 1);
  const tools = toolsOf(bare.trim(), dialect.tools);
  if (tools) return deniedWith(tools);
  const other = dialect.serverTool?.(bare.trim()) ?? bare.trim();
  return /^[A-Za-z*][A-Za-z0-9_*-]*$/.test(other) ? [other] : [];
}

function toAllowed(written: string, draft: Draft, field: Field, left: Left): readonly string[] {
  const { dialect } = draft;
  const [name, inner] = written.split(/\((.*)$/s, 2) as [string, string?];
  const tools = toolsOf(name.trim(), dialect.tools);
  if (inner !== undefined && tools?.includes("agent")) {
    const agents = inner
      .replace(/\)$/, "")
      .split(/[,\s]+/)
      .filter(Boolean);
    draft.put("agents", agents, field);
    return tools;
  }
  if (inner !== undefined && !/^\*?\)?$/.test(inner)) {
    left.partial.push(written);
    return [];
  }
  const found = tools ?? dialect.serverTool?.(name.trim());
  if (found === undefined || found.length === 0) left.unknown.push(written);
  return typeof found === "string" ? [found] : (found ?? []);
}

function reportLeft(field: Field, { unknown, partial }: Left, draft: Draft): void {
  if (unknown.length > 0) reportUnknown(unknown, field, draft);
  if (partial.length > 0)
    draft.add("warning", field, {
      code: "partial_tool",
      message: `${field.path}: left out, because a tool cannot be allowed for certain inputs only: ${list(partial)}`,
      fix: "write rules for it in pegboard.yaml",
    });
}

/** Tells which tools, or what brings tools, are left out. */
export function reportUnknown(names: readonly string[], field: Field, draft: Draft): void {
  const message = `${field.path}: left out, because nothing here does the same: ${list(names)}`;
  draft.add("warning", field, { code: "unknown_tool", message });
}

/** The names of a list or a text; what is no name in a list is left out. Undefined for anything else. */
function namesOf({ value }: Field, left: Left): readonly string[] | undefined {
  if (typeof value === "string" && value.trim() !== "") {
    // Brackets and quotes are there when YAML took a list for a text.
    const bare = value.trim().replace(/^\[/, "").replace(/\]$/, "");
    return splitNames(bare)
      .map((name) => name.replaceAll(/^["']|["']$/g, ""))
      .filter(Boolean);
  }
  if (!Array.isArray(value)) return undefined;
  left.unknown.push(...value.filter((one) => typeof one !== "string").map((one) => JSON.stringify(one)));
  return value.filter((one) => typeof one === "string").map((name) => name.trim());
}

function describe(tools: readonly string[]): string {
  return tools.length === 0 ? "no tools" : `tools: ${[...new Set(tools)].join(", ")}`;
}

function list(names: readonly string[]): string {
  const shown = names.slice(0, 20).map((name) => name.slice(0, 80));
  return `${shown.join(", ")}${names.length > shown.length ? ` and ${names.length - shown.length} more` : ""}`;
}
