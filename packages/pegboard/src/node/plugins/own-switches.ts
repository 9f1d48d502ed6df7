import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describeDiagnostic } from "../../core/diagnostic.ts";
import { PegboardError } from "../../core/error.ts";
import { parseYaml } from "../../core/yaml.ts";
import { COMPONENTS, type SwitchedOff } from "../../plugins/shelves.ts";
import { PLUGIN_SWITCHES } from "../places.ts";

/** What a person has switched off for themselves, in every workspace. */
export interface OwnSwitches {
  readonly file: string;
  readonly disabled: readonly string[];
  readonly off: Readonly<Record<string, SwitchedOff>>;
  /** The line of what a JSON pointer names. */
  lineOf(pointer: string): number;
}

/** Reads what the person has switched off. Throws `invalid_config` when that cannot be read: less must not become more. */
export function readOwnSwitches(home: string): OwnSwitches {
  const file = join(home, PLUGIN_SWITCHES);
  if (!existsSync(file)) return { file, disabled: [], off: {}, lineOf: () => 1 };
  const { value, diagnostics, at } = parseYaml(readFileSync(file, "utf8"), file);
  const { disabled = [], enabled: _, off = {}, ...others } = Object(value) as Readonly<Record<string, unknown>>;
  const [problem] = diagnostics;
  const unknown = Object.keys(others)[0];
  if (problem || unknown !== undefined || !isTexts(disabled) || !isOff(off))
    throw new PegboardError(
      "invalid_config",
      problem
        ? describeDiagnostic(problem)
        : `${file} must hold "disabled", a list of plugins, and "off", what of a plugin is off`,
    );
  return { file, disabled, off, lineOf: (pointer) => at(pointer).line };
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isOff(value: unknown): value is Readonly<Record<string, SwitchedOff>> {
  const isParts = (parts: unknown) =>
    typeof parts === "object" &&
    Object.entries(Object(parts) as object).every(
      ([kind, names]) => COMPONENTS.some((one) => one === kind) && isTexts(names),
    );
  return typeof value === "object" && Object.values(Object(value) as object).every(isParts);
}

/** What is off where both say something. */
export function joinOff(one: SwitchedOff, other: SwitchedOff): SwitchedOff {
  const kinds = COMPONENTS.filter((kind) => one[kind] || other[kind]);
  return Object.fromEntries(kinds.map((kind) => [kind, [...new Set([...(one[kind] ?? []), ...(other[kind] ?? [])])]]));
}
