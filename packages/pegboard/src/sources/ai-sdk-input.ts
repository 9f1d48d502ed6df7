import { fail, type Json, type JsonSchema, type Result, type Schema } from "@pegboard/contract";
import { messageOf } from "../core/error.ts";
import { compileSchema } from "../core/schema.ts";

/** What the schema library of a tool makes of a value: its parsed form, or why not. */
export type Parse = (value: unknown) => Promise<Parsed>;
type Parsed =
  | { readonly success: true; readonly value: unknown }
  | { readonly success: false; readonly error: unknown };

/**
 * The input of a tool whose schema library has a check of its own: first Pegboard checks the JSON Schema, then the library
 * what JSON Schema cannot say. Values are handed on as they came, so that approvers, rules and the log see what was
 * asked; the tool's `execute` parses them. Throws `invalid_definition` when the JSON Schema cannot be used.
 */
export function toCheckedInput(json: JsonSchema, parse: Parse): Schema {
  const compiled = compileSchema(json, { root: "object", foreign: true });
  return {
    "~standard": {
      version: 1,
      vendor: "ai-sdk",
      jsonSchema: { input: () => json },
      async validate(value) {
        const checked = await compiled.check(value);
        if (!checked.ok)
          return { issues: checked.problems.map(({ path, message }) => ({ path: fromPointer(path), message })) };
        const parsed = await parse(checked.value);
        return parsed.success ? { value: checked.value } : { issues: toIssues(parsed.error) };
      },
    },
  };
}

/** The failure of a call whose input the tool's own schema library refuses. */
export function toRefusal(name: string, error: unknown): Result {
  const details = toIssues(error).map(({ path, message }) => ({
    path: path.map((key) => `/${key}`).join(""),
    message,
  }));
  const text = details.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("\n");
  return fail("invalid_input", `The input of "${name}" is not valid:\n${text}`, { details: details satisfies Json });
}

interface Issue {
  readonly path: readonly string[];
  readonly message: string;
}

// Zod has its issues on the error, the AI SDK those of other libraries in its cause.
function toIssues(error: unknown): Issue[] {
  const { issues, cause } = Object(error) as { issues?: unknown; cause?: unknown };
  const list = [issues, cause].find((found) => Array.isArray(found)) as { path?: unknown }[] | undefined;
  return (list ?? [Object(error) as { path?: unknown }]).map((issue) => ({
    path: toPath(issue.path),
    message: messageOf(issue),
  }));
}

function toPath(path: unknown): string[] {
  if (!Array.isArray(path)) return [];
  return path.map((segment: unknown) =>
    String(Object(segment) === segment ? (segment as { key: unknown }).key : segment),
  );
}

function fromPointer(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}
