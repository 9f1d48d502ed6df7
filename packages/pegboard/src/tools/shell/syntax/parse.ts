import { type Command, forEachChild, parse, type ParsedScript, type SyntaxNode } from "unbash";
import type { FoundCommand, ParsedShell } from "./command.ts";
import { NOT_ALL, toPlain, toPlainCommand } from "./plain.ts";
import { literalAssignment, literalOf, residuesOf } from "./word.ts";

// Bounds for texts that are made to take long: a person's commands are far from them.
const MAX_SIGNS = 2_000;
const MAX_NODES = 20_000;
const MAX_DEPTH = 64;

/** Parses a command. Never throws: what is not understood is an obstacle. The work is bounded. */
export function parseShell(text: string): ParsedShell {
  if (isTooMuch(text)) return { commands: [], obstacle: "it is too long to look through", complete: false };
  let script: ParsedScript;
  try {
    script = parse(text);
  } catch {
    return { commands: [], obstacle: "it cannot be read as shell", complete: false };
  }
  const broken = script.errors?.[0];
  if (!broken) {
    const plain = toPlain(script, text);
    if (typeof plain !== "string") return plain;
    const found = findCommands(script);
    return { ...found, obstacle: plain, complete: found.complete && plain !== NOT_ALL };
  }
  return { ...findCommands(script), obstacle: `it is not complete shell: ${broken.message}`, complete: false };
}

function isTooMuch(text: string): boolean {
  let signs = 0;
  for (let at = 0; at < text.length; at++) if ("{($`<|&;\n".includes(text[at]!)) signs++;
  return signs > MAX_SIGNS;
}

/** All commands below, however deep; `complete` is false when a bound was reached or something inside is broken. */
function findCommands(script: ParsedScript): { commands: FoundCommand[]; complete: boolean } {
  const commands: FoundCommand[] = [];
  let nodes = 0;
  let complete = true;
  let pipelines = 0;
  const visit = (node: SyntaxNode, depth: number, pipeline: number): void => {
    if (++nodes > MAX_NODES || depth > MAX_DEPTH) return void (complete = false);
    if (node.type === "Script" && (node as ParsedScript).errors) complete = false;
    // Bash reads such a target twice: what is quoted there may run.
    if (node.type === "Redirect" && node.operator === ">&" && /['"\\]/.test(node.target?.text ?? "")) complete = false;
    if (node.type === "Command") commands.push(toFound(node, pipeline));
    const inner = node.type === "Pipeline" || node.type === "Statement" ? ++pipelines : pipeline;
    forEachChild(node, (child) => {
      if (complete || nodes <= MAX_NODES) visit(child, depth + 1, inner);
    });
  };
  try {
    visit(script, 0, 0);
  } catch {
    complete = false;
  }
  return { commands, complete };
}

function toFound(command: Command, pipeline: number): FoundCommand {
  const { name, prefix, suffix } = command;
  const plain = toPlainCommand(command);
  const parts = [...(name ? [name] : []), ...suffix].filter(
    (part) => part.type === "Word" || part.type === "Assignment",
  );
  const words = parts.map((part) => (part.type === "Word" ? literalOf(part) : literalAssignment(part)));
  const heredoc = [...prefix, ...suffix].find((part) => part.type === "HereDoc");
  const stdin = typeof plain === "string" ? heredoc?.body.text : plain.stdin;
  return {
    words,
    pipeline,
    ...(words.includes(undefined) && {
      guess: parts.flatMap((part, index) => words[index] ?? residuesOf(part)).filter((word) => word !== ""),
    }),
    ...(typeof plain === "string" && { obstacle: plain }),
    ...(stdin !== undefined && { stdin }),
  };
}
