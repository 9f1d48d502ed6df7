import type { Diagnostic } from "../core/diagnostic.ts";
import { pointerSegment } from "../core/json.ts";
import { nearest } from "../core/nearest.ts";
import { rightOf } from "./rights.ts";

/** Where something stands in a file; empty for what comes from somewhere else. */
export type Place = Pick<Diagnostic, "line" | "column">;

/** A value of a front matter, what a person calls it, and where it stands. */
export interface Field {
  /** `requirements.max_retries`, `tools[0].name`. */
  readonly path: string;
  readonly value: unknown;
  place(): Place;
  /** What is inside of it; the value is undefined when there is nothing. */
  member(key: string | number): Field;
}

/** Makes a field; `at` tells where a JSON pointer into the field's value leads. */
export function createField(path: string, value: unknown, at: (pointer: string) => Place): Field {
  return {
    path,
    value,
    place: () => at(""),
    member(key) {
      const inner = typeof key === "number" ? `${path}[${key}]` : `${path}.${key}`;
      const found =
        isMapping(value) || Array.isArray(value) ? Object.getOwnPropertyDescriptor(value, key)?.value : undefined;
      return createField(inner, found, (pointer) => at(pointerSegment(key) + pointer));
    },
  };
}

/** Whether a value is an object with keys: no list, no null. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What became of a field. */
export interface FieldOutcome {
  readonly field: string;
  readonly became: "mapped" | "approximated" | "ignored" | "unsafe";
  readonly note?: string;
}

/** What something that was found means for the agent: a word to the author, no such entry, no tools at all, or no agent. */
export type Consequence = "warning" | "without" | "no-tools" | "no-agent";

/** Something that was found. */
export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly place?: Place;
  readonly fix?: string;
}

/** What was found in one file so far. */
export interface Findings {
  /** What the file is one of: `agent`, `skill`, `command`. */
  readonly what: string;
  /** Whether something means that there is no agent, or none with tools. */
  has(consequence: Consequence): boolean;
  add(consequence: Consequence, finding: Finding): void;
  /** Says what became of a field; the last word counts. */
  became(field: string, became: FieldOutcome["became"], note?: string): void;
  /** Tells each key that is none of these. */
  unknownKeys(field: Field, known: readonly string[]): void;
  readonly fields: readonly FieldOutcome[];
  /** From the top of the file to its end. */
  readonly diagnostics: readonly Diagnostic[];
}

/** Of one kind, nobody reads more. */
const MOST_UNKNOWN = 20;

/** Makes the findings of one file, with nothing found yet. */
export function createFindings(file: string | undefined, what = "agent"): Findings {
  const found: Diagnostic[] = [];
  const consequences = new Set<Consequence>();
  const fields = new Map<string, FieldOutcome>();
  const findings: Findings = {
    what,
    has: (consequence) => consequences.has(consequence),
    add(consequence, { code, message, place, fix }) {
      consequences.add(consequence);
      found.push({
        severity: consequence === "warning" ? "warning" : "error",
        code,
        message,
        ...(file !== undefined && { file }),
        ...place,
        ...(fix !== undefined && { fix }),
      });
    },
    became(field, became, note) {
      fields.set(field, { field, became, ...(note !== undefined && { note }) });
    },
    unknownKeys(field, known) {
      const unknown = Object.keys(field.value as object).filter((key) => !known.includes(key));
      for (const key of unknown.slice(0, MOST_UNKNOWN)) {
        const near = nearest(key, known);
        const hint = near ? `, did you mean "${near}"?` : "";
        const place = field.member(key).place();
        // Indented by mistake, it would have restricted the agent.
        const isRight = rightOf(key) !== undefined;
        const message = `unknown key "${key}" in ${field.path}${isRight ? `: the ${what} gets no tools` : hint}`;
        findings.add(isRight ? "no-tools" : "warning", { code: "unknown_key", message, place });
      }
    },
    get fields() {
      return [...fields.values()];
    },
    get diagnostics() {
      return found.toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
    },
  };
  return findings;
}
