import type { AndOr, Command, CommandNode, ParsedScript, Pipeline, PipelineNode, Statement } from "unbash";
import type { FoundCommand, ParsedShell, PlainCommand, Step } from "./command.ts";
import { areAll, type Token } from "./gaps.ts";
import { type Flow, redirect } from "./redirect.ts";
import { literalOf, wordProblem } from "./word.ts";

/** The obstacle of a text in which there is more than its parser saw. */
export const NOT_ALL = "not all of it is understood";

/** How to run a script without a shell, or why that cannot be done. */
export function toPlain(script: ParsedScript, text: string): ParsedShell | string {
  // Bash keeps such a backslash or not, by what stands before it.
  if (/(?<!\\)(?:\\\\)*\\$/.test(text)) return "it ends with a backslash";
  const plain: Plain = { steps: [], commands: [], tokens: [], ignored: [] };
  for (const statement of script.commands) {
    const problem = addStatement(statement, plain);
    if (problem !== undefined) return problem;
  }
  const { steps, commands, tokens, ignored } = plain;
  return areAll(text, tokens, ignored) ? { commands, steps, complete: true } : NOT_ALL;
}

interface Plain {
  readonly steps: Step[];
  readonly commands: FoundCommand[];
  readonly tokens: Token[];
  readonly ignored: { pos: number; end: number }[];
}

function addStatement({ command, background }: Statement, plain: Plain): string | undefined {
  if (background) return "it starts something in the background";
  const { commands: parts, operators } =
    command.type === "AndOr" ? (command as AndOr) : { commands: [command as PipelineNode], operators: [] };
  for (const [index, part] of parts.entries()) {
    const operator = operators[index - 1];
    const problem = part.type === "Pipeline" ? pipelineProblem(part) : undefined;
    if (problem !== undefined) return problem;
    const pipeline: PlainCommand[] = [];
    for (const [place, node] of (part.type === "Pipeline" ? part.commands : [part]).entries()) {
      const found = toPlainCommand(node);
      if (typeof found === "string") return found;
      addTokens(node as Command, place > 0 ? "|" : (operator ?? (plain.steps.length > 0 ? ";" : "")), plain);
      pipeline.push(found);
      plain.commands.push({
        words: found.argv,
        pipeline: plain.steps.length,
        ...(found.stdin !== undefined && { stdin: found.stdin }),
      });
    }
    plain.steps.push({
      when: operator === "&&" ? "success" : operator === "||" ? "failure" : "always",
      commands: pipeline,
    });
  }
  return undefined;
}

function addTokens(
  { name, prefix, suffix }: Command,
  join: NonNullable<Token["join"]>,
  { tokens, ignored }: Plain,
): void {
  for (const [index, part] of [...prefix, name!, ...suffix].entries()) {
    tokens.push({ pos: part.pos, end: part.end, ...(index === 0 && { join }) });
    if (part.type === "HereDoc" && part.closing) ignored.push({ pos: part.body.pos, end: part.closing.end });
  }
}

function pipelineProblem({ prefixes, operators }: Pipeline): string | undefined {
  if (prefixes.length > 0) return prefixes[0]!.type === "Time" ? "it measures time" : "it negates an outcome";
  return operators.includes("|&") ? "it joins outputs with |&" : undefined;
}

const CONSTRUCTS: Partial<Record<CommandNode["type"], string>> = {
  Subshell: "it has a subshell",
  BraceGroup: "it groups commands",
  Function: "it defines a function",
  Coproc: "it starts a coprocess",
};

/** A command that runs as it stands, or why it does not. */
export function toPlainCommand(node: CommandNode): PlainCommand | string {
  if (node.type !== "Command") return CONSTRUCTS[node.type] ?? "it has control flow";
  const { name, prefix, suffix } = node;
  if (prefix.some(({ type }) => type === "Assignment")) return "it sets variables";
  if (!name) return "it has no program";
  const argv: string[] = [];
  const flow: Flow = { stdout: "out", stderr: "err" };
  for (const part of [name, ...prefix, ...suffix]) {
    if (part.type === "Assignment") {
      return "it sets variables";
    } else if (part.type === "Word") {
      const value = literalOf(part);
      if (value === undefined) return wordProblem(part);
      argv.push(value);
    } else {
      const problem = redirect(part, flow);
      if (problem !== undefined) return problem;
    }
  }
  return { argv, ...flow };
}
