import { messageOf } from "../core/error.ts";
import { copyJson, pointerSegment } from "../core/json.ts";
import { parseYaml } from "../core/yaml.ts";
import { createField, type Field, isMapping, type Place } from "./field.ts";

const DEPTH = 64;
/** The most fields that a front matter has. */
export const MAX_FIELDS = 256;
const RESERVED = ["__proto__", "constructor", "prototype"];

/** A text that cannot be read as fields. */
export interface Unread {
  readonly ok: false;
  /** It must not be read in any other way either. */
  readonly refused: boolean;
  readonly fault: Place & { readonly message: string };
}

type Outcome = { readonly ok: true; readonly fields: readonly Field[] } | Unread;

/** Reads a text as YAML, whole or not at all; its first line is this line of the file. */
export function readYaml(text: string, firstLine: number): Outcome {
  const { value, diagnostics, at } = parseYaml(text, "", { depth: DEPTH });
  const shift = ({ line = 1, column = 1 }: Place) => ({ line: line + firstLine - 1, column });
  const fail = (message: string, place: Place, refused: boolean): Unread => ({
    ok: false,
    refused,
    fault: { message, ...shift(place) },
  });
  const refusal = diagnostics.find(({ code }) => code === "yaml_refused");
  const fault = refusal ?? diagnostics[0];
  if (fault) return fail(fault.message, fault, refusal !== undefined);
  if (value === null) return { ok: true, fields: [] };
  if (!isMapping(value)) return fail("it holds no fields (key: value)", at(""), false);
  const keys = Object.keys(value);
  const reserved = keys.find((key) => RESERVED.includes(key));
  if (reserved !== undefined) return fail(`"${reserved}" can be no field`, at(pointerSegment(reserved)), true);
  if (keys.length > MAX_FIELDS) return fail(`it has more than ${MAX_FIELDS} fields`, at(""), true);
  try {
    const copy = copyJson(value) as Readonly<Record<string, unknown>>;
    const toField = (key: string) => createField(key, copy[key], (pointer) => shift(at(pointerSegment(key) + pointer)));
    return { ok: true, fields: keys.map(toField) };
  } catch (error) {
    return fail(messageOf(error), at(""), true);
  }
}
