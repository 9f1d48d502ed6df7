import type { JsonSchema, StandardSchema } from "@pegboard/contract";
import { messageOf, PegboardError } from "./error.ts";
import { type Checked, type Problem, typeOf } from "./schema-problems.ts";

/** Whether a schema is one of a library that implements Standard Schema. Some of them are functions. */
export function isStandard(schema: unknown): schema is StandardSchema {
  const isThing = (typeof schema === "object" && schema !== null) || typeof schema === "function";
  return (
    isThing &&
    "~standard" in schema &&
    typeof (schema["~standard"] as { validate?: unknown } | null)?.validate === "function"
  );
}

/** The JSON Schema that the library makes of its schema. Throws `invalid_definition` when it cannot. */
export function toJsonSchema(schema: StandardSchema): JsonSchema {
  const { vendor, jsonSchema } = schema["~standard"] as Partial<StandardSchema["~standard"]>;
  if (typeof jsonSchema?.input !== "function") {
    const fix = FIXES[vendor ?? ""] ?? "use a version that implements Standard JSON Schema, or give plain JSON Schema";
    throw new PegboardError(
      "invalid_definition",
      `This schema of ${vendor} does not describe itself as JSON Schema: ${fix}`,
    );
  }
  try {
    return jsonSchema.input({ target: "draft-2020-12" });
  } catch (error) {
    const message = `This schema of ${vendor} cannot be written as JSON Schema: ${messageOf(error)}`;
    throw new PegboardError("invalid_definition", message, { cause: error });
  }
}

const FIXES: Record<string, string> = {
  valibot: "wrap it in toStandardJsonSchema of @valibot/to-json-schema",
  zod: "use Zod 4.2 or newer",
};

/** Checks a value with the library's own `validate`. Never throws and never rejects. */
export function checkStandard(schema: StandardSchema, value: unknown): Checked | Promise<Checked> {
  try {
    const outcome = schema["~standard"].validate(value);
    if (!("then" in outcome)) return toChecked(outcome, value);
    return Promise.resolve(outcome)
      .then((late) => toChecked(late, value))
      .catch(toThrown);
  } catch (error) {
    return toThrown(error);
  }
}

type Outcome = Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>;
type Issue = NonNullable<Outcome["issues"]>[number];

function toChecked(outcome: Outcome, value: unknown): Checked {
  if (!outcome.issues) return { ok: true, value: outcome.value };
  return { ok: false, problems: outcome.issues.map((issue) => toProblem(issue, value)) };
}

function toThrown(error: unknown): Checked {
  return { ok: false, problems: [{ path: "", message: `could not be checked: ${messageOf(error)}` }] };
}

function toProblem(issue: Issue, root: unknown): Problem {
  let value = root;
  let path = "";
  for (const segment of issue.path ?? []) {
    const key = String(typeof segment === "object" && segment !== null && "key" in segment ? segment.key : segment);
    path += `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined;
  }
  return { path, message: quotes(issue.message, value) ? withoutValue(issue, value) : issue.message };
}

/** Some libraries say in the message what they were given, which may be a secret. Short texts are found by their quotes. */
function quotes(message: string, value: unknown): boolean {
  if (typeof value === "string") return message.includes(value.length < 4 ? `"${value}"` : value);
  if (typeof value === "number") return message.includes(`${value}`);
  return typeof value === "object" && value !== null && Object.values(value).some((member) => quotes(message, member));
}

function withoutValue(issue: Issue, value: unknown): string {
  const { expected } = issue as { expected?: unknown };
  const must = typeof expected === "string" && !quotes(expected, value) ? `must be ${expected}` : "is not valid";
  return `${must}, is ${typeOf(value)}`;
}
