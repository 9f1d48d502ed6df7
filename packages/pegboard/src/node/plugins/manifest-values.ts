import type { Capability, JsonSchema } from "@pegboard/contract";
import { CAPABILITY_WORDS } from "./capability-words.ts";
import type { WrittenSettings } from "./settings.ts";

/** The input of a tool. A schema that says nothing takes any object. */
export function toInput(schema: JsonSchema = {}): JsonSchema {
  return Object.keys(schema).length === 0 ? { type: "object" } : schema;
}

/** The settings that a manifest describes, in either of the two ways to write them. */
export function toWrittenSettings(config: unknown): WrittenSettings | undefined {
  if (typeof config !== "object" || config === null) return undefined;
  const settings = "schema" in config ? config.schema : config;
  return typeof settings === "object" && settings !== null && "properties" in settings
    ? (settings as WrittenSettings)
    : undefined;
}

/** The capabilities that a tool of a manifest declares. It starts a program in any case. */
export function toCapabilities({
  capabilities = [],
}: {
  readonly capabilities?: readonly string[];
}): readonly Capability[] {
  return [...new Set(capabilities.flatMap((word) => CAPABILITY_WORDS.get(word) ?? []))];
}
