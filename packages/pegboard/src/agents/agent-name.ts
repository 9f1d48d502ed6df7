import { nameProblem } from "../core/name.ts";
import type { Field, Findings } from "./field.ts";

/** What has no place in a name, because a name is also part of paths and of messages. */
const UNSAFE = /[/\\\p{C}]|\.\.|__/u;

/**
 * Reads the name of an agent; `line` is where it is missed. One with blanks and signs in it is brought to the form that names have, with a warning;
 * anything else that is no name means that there is no agent.
 */
export function readName(field: Field | undefined, line: number, findings: Findings): string | undefined {
  const value = field?.value;
  if (!field || value === undefined || value === null || value === "") {
    const place = field?.place() ?? { line };
    findings.add("no-agent", { code: "missing_name", message: "name is missing", place, fix: "add name: my-agent" });
    return undefined;
  }
  findings.became("name", "mapped");
  const problem = nameProblem(value);
  if (problem === undefined) return value as string;
  const name = typeof value === "string" && value.length <= 256 ? toName(value) : undefined;
  if (name === undefined) {
    const fix = "start with a letter; use letters, digits, _ and -";
    findings.add("no-agent", { code: "invalid_name", message: `name ${problem}`, place: field.place(), fix });
    return undefined;
  }
  findings.became("name", "approximated", name);
  findings.add("warning", {
    code: "changed_name",
    message: `name ${problem}; the agent is called "${name}"`,
    place: field.place(),
    fix: `write name: ${name}`,
  });
  return name;
}

/** A name made of a text, such as the title of an agent or the name of its file; undefined when none can be made. */
export function toName(text: string): string | undefined {
  if (UNSAFE.test(text)) return undefined;
  const name = text
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 64);
  return nameProblem(name) === undefined ? name : undefined;
}
