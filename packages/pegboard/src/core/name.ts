import { PegboardError } from "./error.ts";

/** The longest name, prefix included: what every model provider accepts. */
const MAX_NAME = 64;

const GRAMMAR = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** Between the name of a source and the name of its tool. */
export const SEPARATOR = "__";

/** What is wrong with a name, or undefined. The same grammar holds for tools, sources and plugins. */
export function nameProblem(name: unknown): string | undefined {
  if (typeof name !== "string" || name === "") return "must be a text that is not empty";
  if (!GRAMMAR.test(name))
    return "must start with a letter and hold only letters, digits, _ and - ([A-Za-z][A-Za-z0-9_-]*)";
  if (name.includes(SEPARATOR)) return `must not hold "${SEPARATOR}", which stands between a source and its tool`;
  if (name.length > MAX_NAME) return `must be at most ${MAX_NAME} characters, it has ${name.length}`;
  return undefined;
}

/** The full name of a tool: `source__tool`, or the bare name without a prefix. Throws `invalid_definition`. */
export function fullName(name: unknown, prefix?: string): string {
  const problem = nameProblem(name) ?? (prefix === undefined ? undefined : nameProblem(prefix));
  if (problem)
    throw new PegboardError("invalid_definition", `The name ${show(name, prefix)} is refused: it ${problem}`);
  const full = prefix === undefined ? (name as string) : `${prefix}${SEPARATOR}${name as string}`;
  if (full.length > MAX_NAME) {
    throw new PegboardError(
      "invalid_definition",
      `The name "${full}" is refused: it must be at most ${MAX_NAME} characters, it has ${full.length}`,
    );
  }
  return full;
}

/** What tells an agent from all others: `plugin/agent`, or its bare name when no plugin brings it. */
export function agentIdentity(name: string, plugin?: string): string {
  return plugin === undefined ? name : `${plugin}/${name}`;
}

/** Whether a name, or any other text, matches a pattern in which `*` stands for any characters. Takes linear time. */
export function matchesName(pattern: string, text: string): boolean {
  if (!pattern.includes("*")) return pattern === text;
  const parts = pattern.split("*");
  const first = parts[0]!;
  const last = parts.at(-1)!;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

function show(name: unknown, prefix: string | undefined): string {
  const text = typeof name === "string" ? JSON.stringify(name.slice(0, 80)) : String(name);
  return prefix === undefined ? text : `${text} of "${prefix}"`;
}
