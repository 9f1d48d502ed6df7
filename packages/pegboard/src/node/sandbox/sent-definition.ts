import { copyJson } from "../../core/json.ts";
import type { AnyTool } from "../../core/registry.ts";
import { compileSchema } from "../../core/schema.ts";
import type { SentDefinition } from "./protocol.ts";

const PLAIN = ["capabilities", "timeoutMs", "requiredAgent", "callers", "version", "category"] as const;

/** What can be told of a tool to another process. Throws when its schemas have no JSON form. */
export function toSentDefinition(tool: AnyTool): SentDefinition {
  const { name, description, input, output, approval } = tool;
  const given = PLAIN.filter((field) => tool[field] !== undefined).map((field) => [field, tool[field]]);
  // Whose schema it is decides how strictly it is taken: that is known outside.
  const json = (schema: typeof input, root?: "object") =>
    compileSchema(schema, { foreign: true, ...(root && { root }) }).json;
  const sent = {
    name,
    description,
    input: json(input, "object"),
    ...(output && { output: json(output) }),
    ...(approval !== undefined && { approval: typeof approval === "function" ? "function" : approval }),
    ...Object.fromEntries(given),
    summary: typeof tool.summary === "function",
    session: "open" in tool,
  };
  return copyJson(sent) as unknown as SentDefinition;
}
