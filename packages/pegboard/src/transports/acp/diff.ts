import type { ToolCallContent } from "@agentclientprotocol/sdk";
import type { Json } from "@pegboard/contract";

/** What a call would change in a file, as far as its input tells. */
export function toProposedDiffs(path: string, input: Json): ToolCallContent[] {
  const { content, edits } = Object(input) as { content?: unknown; edits?: unknown };
  if (typeof content === "string") return [toDiff(path, null, content)];
  if (!Array.isArray(edits)) return [];
  return edits.flatMap((edit: unknown) => {
    const { old, new: replacement } = Object(edit) as { old?: unknown; new?: unknown };
    return typeof old === "string" && typeof replacement === "string" ? [toDiff(path, old, replacement)] : [];
  });
}

/** A unified diff of one file, piece by piece. */
export function toMadeDiffs(path: string, unified: string): ToolCallContent[] {
  const isNew = unified.startsWith("--- /dev/null\n");
  // Before the first piece stand the names.
  const pieces = unified.split(/^@@.*\n/m).slice(1);
  return pieces.map((piece) => {
    const lines = piece.match(/[^\n]*\n|[^\n]+$/g) ?? [];
    return toDiff(path, isNew ? null : side(lines, "-"), side(lines, "+"));
  });
}

function side(lines: readonly string[], sign: "-" | "+"): string {
  const kept = lines.flatMap((line, index) => {
    if (line[0] !== " " && line[0] !== sign) return [];
    // The mark after a last line says that nothing ends it.
    return lines[index + 1]?.startsWith("\\") ? [line.slice(1, -1)] : [line.slice(1)];
  });
  return kept.join("");
}

function toDiff(path: string, oldText: string | null, newText: string): ToolCallContent {
  return { type: "diff", path, oldText, newText };
}
