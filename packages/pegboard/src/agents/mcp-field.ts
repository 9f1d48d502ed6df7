import type { Json } from "@pegboard/contract";
import { nameProblem } from "../core/name.ts";
import { type Field, type Findings, isMapping } from "./field.ts";

/**
 * Reads `mcpServers` of an agent's file as toolsets: by name, or as a list of names and of mappings with one name. A mere
 * name stands for a server of the workspace. What cannot be read is left out: a server only ever adds tools.
 */
export function readServers(field: Field, findings: Findings): Record<string, Json> {
  const toolsets: Record<string, Json> = {};
  for (const entry of entriesOf(field)) {
    const { name, value, at } = entry;
    const problem =
      name === undefined
        ? "it must be the name of a server, or a mapping of one name to a server"
        : (nameProblem(name) ??
          (isMapping(value) || isBare(value) ? undefined : "must be a mapping with command or url, or nothing"));
    if (name === undefined || problem !== undefined)
      findings.add("without", {
        code: "invalid_entry",
        message: `${at.path} is left out: ${name === undefined ? "" : `"${name.slice(0, 80)}" `}${problem}`,
        place: at.place(),
      });
    else toolsets[name] = { mcp: isBare(value) ? true : (value as Json) };
  }
  return toolsets;
}

interface Entry {
  readonly name?: string;
  readonly value?: unknown;
  readonly at: Field;
}

function entriesOf(field: Field): Entry[] {
  const { value } = field;
  if (isMapping(value))
    return Object.entries(value).map(([name, one]) => ({ name, value: one, at: field.member(name) }));
  if (typeof value === "string") return value.split(",").map((name) => ({ name: name.trim(), at: field }));
  if (!Array.isArray(value)) return value === null ? [] : [{ at: field }];
  return value.flatMap((one: unknown, index): Entry[] => {
    const at = field.member(index);
    if (typeof one === "string") return [{ name: one, at }];
    return isMapping(one) ? entriesOf(at) : [{ at }];
  });
}

function isBare(value: unknown): boolean {
  return (
    value === undefined || value === null || value === true || (isMapping(value) && Object.keys(value).length === 0)
  );
}
