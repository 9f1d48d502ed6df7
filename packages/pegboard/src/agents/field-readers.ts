import type { JsonSchema } from "@pegboard/contract";
import { messageOf } from "../core/error.ts";
import { type CompileOptions, compileSchema } from "../core/schema.ts";
import { type Consequence, type Field, type Findings, isMapping } from "./field.ts";

/**
 * Reads a field that is there. What is wrong goes to the findings, with what it means for the agent, and leaves undefined.
 */
export type Reader<T> = (field: Field, findings: Findings, consequence: Consequence) => T | undefined;

/** What is said of a value that is not what it must be. */
export function wrong(
  field: Field,
  must: string,
  findings: Findings,
  consequence: Consequence,
  fix?: string,
): undefined {
  const message = `${field.path} must be ${must}, it is ${describe(field.value)}`;
  findings.add(consequence, { code: "invalid_value", message, place: field.place(), ...(fix && { fix }) });
  return undefined;
}

/** A text of so many characters at most. */
export function text(most: number): Reader<string> {
  return (field, findings, consequence) => {
    const { value } = field;
    if (typeof value !== "string") return wrong(field, "a text", findings, consequence, "put it in quotes");
    if (value.length <= most) return value;
    const message = `${field.path} must have at most ${most} characters, it has ${value.length}`;
    findings.add(consequence, { code: "too_large", message, place: field.place() });
    return undefined;
  };
}

/** A number of a range. */
export function number(least: number, most: number): Reader<number> {
  return (field, findings, consequence) => {
    const { value } = field;
    if (typeof value === "number" && value >= least && value <= most) return value;
    return wrong(field, `a number from ${least} to ${most}`, findings, consequence);
  };
}

/** A whole number that is not below another. */
export function count(least: number): Reader<number> {
  return (field, findings, consequence) => {
    const { value } = field;
    if (Number.isSafeInteger(value) && (value as number) >= least) return value as number;
    return wrong(field, `a whole number, ${least} or more`, findings, consequence);
  };
}

/** True or false. */
export const flag: Reader<boolean> = (field, findings, consequence) =>
  typeof field.value === "boolean" ? field.value : wrong(field, "true or false", findings, consequence);

/** One of these words. */
export function word<const T extends string>(...words: readonly T[]): Reader<T> {
  return (field, findings, consequence) => {
    const found = words.find((one) => one === field.value);
    return found ?? wrong(field, `one of ${words.join(", ")}`, findings, consequence);
  };
}

/** A list of texts that are not empty. */
export const texts: Reader<readonly string[]> = (field, findings, consequence) => {
  const { value } = field;
  if (!Array.isArray(value))
    return wrong(field, "a list of texts", findings, consequence, `write ${field.path}: [...]`);
  const bad = value.findIndex((item) => typeof item !== "string" || item.trim() === "");
  return bad < 0 ? (value as string[]) : wrong(field.member(bad), "a text", findings, consequence);
};

/** A JSON Schema that can be used. */
export function schema(options?: CompileOptions): Reader<JsonSchema> {
  return (field, findings, consequence) => {
    try {
      return compileSchema(field.value as JsonSchema, options).json;
    } catch (error) {
      const message = `${field.path}: ${messageOf(error)}`;
      findings.add(consequence, { code: "invalid_schema", message, place: field.place() });
      return undefined;
    }
  };
}

/** A mapping: each of its members by the reader of its key, under the name that it has in code. */
export function mapping<T>(readers: Readonly<Record<string, readonly [as: keyof T, read: Reader<any>]>>): Reader<T> {
  return (field, findings, consequence) => {
    if (!isMapping(field.value)) return wrong(field, "a mapping (key: value)", findings, consequence);
    findings.unknownKeys(field, Object.keys(readers));
    const read: Partial<Record<keyof T, unknown>> = {};
    for (const [key, [as, reader]] of Object.entries(readers)) {
      const member = field.member(key);
      if (member.value === undefined) continue;
      const value: unknown = reader(member, findings, consequence);
      if (value !== undefined) read[as] = value;
    }
    return read as T;
  };
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return "empty";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a mapping";
  if (typeof value === "string") return value.length > 60 ? "a long text" : `the text ${JSON.stringify(value)}`;
  return String(value);
}
