import type { Json } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import type { AnyTool } from "../../core/registry.ts";
import { compileSchema, describeProblems } from "../../core/schema.ts";
import { isStandard } from "../../core/schema-standard.ts";

/** JSON Schema is checked outside; what only the author's own schema library can say is checked here. */
export async function ownCheck(tool: AnyTool, part: "input" | "output", value: Json): Promise<unknown> {
  const schema = tool[part];
  if (!isStandard(schema)) return value;
  const checked = await compileSchema(schema).check(structuredClone(value));
  if (checked.ok) return checked.value;
  const what =
    part === "input"
      ? `The input of "${tool.name}" is not valid`
      : `The result of "${tool.name}" does not match its output schema`;
  throw new PegboardError(
    part === "input" ? "invalid_input" : "invalid_output",
    `${what}:\n${describeProblems(checked.problems)}`,
  );
}
