import { readFileSync } from "node:fs";
import type { Json } from "@pegboard/contract";
import { parseSync, type TSType } from "oxc-parser";
import { expect, test } from "vitest";
import { atPointer } from "../packages/pegboard/src/core/json.ts";
import { BUNDLED_NAMES } from "../packages/pegboard/src/node/plugins/bundled.ts";
import { MANIFEST_SCHEMA } from "../packages/pegboard/src/node/plugins/manifest-schema.ts";
import { blocksOf, inlineCodeOf, tableBelow } from "./markdown.ts";

const GUIDE = readFileSync("docs/plugins.md", "utf8");

test.each([
  ["The fields of a plugin", "Plugin", "plugin"],
  ["The host", "PluginHost", "plugin"],
  ["Hooks", "Hooks", "hooks"],
  ["Hooks of hosts with threads", "ThreadHooks", "hooks"],
])("%s: docs/plugins.md has a section with an example that runs for each", (heading, type, file) => {
  const sections = sectionsBelow(GUIDE, heading);
  expect([...sections.keys()].sort()).toEqual(keysOf(type, file).sort());
  for (const [key, section] of sections) {
    const examples = blocksOf(section).filter(({ marker }) => marker?.kind === "from" || marker?.kind === "run");
    expect(examples.map(({ text }) => text).join("\n"), `the example of ${key}`).toMatch(new RegExp(`\\b${key}\\b`));
  }
});

test.each([
  ["`tools`", "PluginTool"],
  ["What a handler is told", "PluginCallMeta"],
  ["`skills`", "Skill"],
  ["`commands`", "Command"],
  ["`mcpServers`", "McpServer"],
])("docs/plugins.md lists the fields of %s", (heading, type) => {
  expect(firstColumn(heading).sort()).toEqual(keysOf(type, "plugin").sort());
});

test.each([
  ["The fields of plugin.json", ""],
  ["Tools", "/properties/tools/items"],
  ["Agents", "/properties/agents/items"],
  ["Settings", "/properties/config/else/properties/properties/additionalProperties"],
])("docs/plugins.md lists %s as the schema has them, and its examples use each", (heading, pointer) => {
  const keys = Object.keys(atPointer(MANIFEST_SCHEMA as Json, `${pointer}/properties`) as object);
  expect(firstColumn(heading)).toEqual(keys);
  const used = blocksOf(GUIDE).filter(({ language }) => language === "json");
  const text = used.map((block) => block.text).join("\n");
  expect(keys.filter((key) => !text.includes(`"${key}":`))).toEqual([]);
});

test("docs/plugins.md names the plugins that come with Pegboard", () => {
  expect(BUNDLED_NAMES.filter((name) => !inlineCodeOf(GUIDE).includes(name))).toEqual([]);
});

/** The sections right below a chapter by the names in their headings. */
function sectionsBelow(markdown: string, chapter: string): Map<string, string> {
  const [, text = ""] = markdown.split(`\n## ${chapter}\n`);
  const sections = text.split(/^## /m)[0]!.split(/^### /m).slice(1);
  return new Map(
    sections.flatMap((section) =>
      [...section.split("\n")[0]!.matchAll(/`([^`]+)`/g)].map(([, name]) => [name!, section] as const),
    ),
  );
}

/** The keys of a type of the contract, of all that it is made of. */
function keysOf(type: string, file: string): string[] {
  const path = `packages/contract/src/${file}.ts`;
  const { program } = parseSync(path, readFileSync(path, "utf8"));
  const declared = program.body.flatMap((node) => ("declaration" in node && node.declaration) || []);
  for (const node of declared) {
    if (node.type === "TSInterfaceDeclaration" && node.id.name === type) return namesOf(node.body.body);
    if (node.type === "TSTypeAliasDeclaration" && node.id.name === type) return namesIn(node.typeAnnotation);
  }
  throw new Error(`${path} has no type ${type}`);
}

function namesIn(type: TSType): string[] {
  if (type.type === "TSTypeLiteral") return namesOf(type.members);
  if (type.type === "TSParenthesizedType") return namesIn(type.typeAnnotation);
  return type.type === "TSUnionType" || type.type === "TSIntersectionType" ? type.types.flatMap(namesIn) : [];
}

function namesOf(members: readonly object[]): string[] {
  return members.flatMap((member) => (member as { readonly key?: { readonly name?: string } }).key?.name ?? []);
}

function firstColumn(heading: string): string[] {
  return tableBelow(GUIDE, heading).map(([cell]) => cell!.replaceAll("`", ""));
}
