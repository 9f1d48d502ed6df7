import { type Field, isMapping } from "./field.ts";
import type { Rung } from "./front-matter-rungs.ts";

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** What the Agent Skills specification does not allow in a front matter, one sentence each. Keys of others do no harm. */
export function departuresFromSpec(fields: ReadonlyMap<string, Field>, rung: Rung, folder: string): string[] {
  if (rung !== "strict") return ["its front matter must be valid YAML between two lines ---"];
  const value = (key: string) => fields.get(key)?.value;
  const isText = (key: string, most: number) => {
    const text = value(key);
    return typeof text === "string" && text.trim() !== "" && Array.from(text).length <= most;
  };
  const has = (key: string) => fields.has(key);
  const rules: readonly (readonly [holds: boolean, rule: string])[] = [
    [
      isText("name", 64) && NAME.test(String(value("name"))),
      "name must have 1 to 64 of a-z, 0-9 and -, with no - at its ends and no two in a row",
    ],
    [value("name") === folder, `name must be that of its folder, ${JSON.stringify(folder)}`],
    [isText("description", 1_024), "description must have 1 to 1,024 characters"],
    [!has("compatibility") || isText("compatibility", 500), "compatibility must have 1 to 500 characters"],
    [!has("license") || typeof value("license") === "string", "license must be a text"],
    [!has("metadata") || isTexts(value("metadata")), "metadata must map texts to texts"],
    [!has("allowed-tools") || typeof value("allowed-tools") === "string", "allowed-tools must be a text"],
  ];
  return rules.flatMap(([holds, rule]) => (holds ? [] : [rule]));
}

function isTexts(value: unknown): boolean {
  return isMapping(value) && Object.values(value).every((text) => typeof text === "string");
}
