import type { JsonSchema } from "@pegboard/contract";
import { type Field, isMapping } from "../field.ts";
import type { Dialect, Move } from "./draft.ts";
import {
  forDisplay,
  ignore,
  moveDescription,
  moveInstructions,
  moveModel,
  moveName,
  moveTemperature,
  moveTurns,
  refuse,
  toText,
} from "./moves.ts";
import { reportUnknown } from "./move-tools.ts";
import { toServerTool } from "./server-tool.ts";

/** Our tools for the extensions that goose brings. */
const EXTENSIONS: Readonly<Record<string, readonly string[]>> = {
  developer: ["read_file", "write_file", "edit_file", "list_files", "search_files", "glob", "shell"],
  skills: ["skill"],
  summon: ["agent"],
};

/** What is built in has tools of ours in its place; what is a server is named, and must be one of the workspace's. */
const moveExtensions: Move = (field, draft) => {
  if (!Array.isArray(field.value)) return draft.put("tools", field.value, field);
  const unknown: string[] = [];
  const tools = field.value.flatMap((extension: unknown) => {
    const { name, type, available_tools: some } = isMapping(extension) ? extension : { name: extension };
    const key = toText(name) ?? "?";
    const isBuiltin = type === undefined || type === "builtin" || type === "platform";
    const own = isBuiltin && Object.hasOwn(EXTENSIONS, key) ? EXTENSIONS[key]! : undefined;
    // A choice among its tools is not known by our names.
    const found = own && isEmpty(some) ? own : isBuiltin ? [] : serverTools(key, some);
    if (found.length === 0) unknown.push(key);
    return found;
  });
  draft.allow(tools, field);
  draft.became(field.path, "approximated", tools.length === 0 ? "no tools" : `tools: ${tools.join(", ")}`);
  if (unknown.length > 0) reportUnknown(unknown, field, draft);
};

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

function serverTools(server: string, some: unknown): string[] {
  const tools = isEmpty(some) ? ["*"] : Array.isArray(some) ? some.map(String) : [];
  return tools.flatMap((tool) => toServerTool(server, tool) ?? []);
}

const TYPES: Readonly<Record<string, JsonSchema>> = {
  string: { type: "string" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  date: { type: "string", format: "date" },
  file: { type: "string" },
  select: { type: "string" },
};

const moveParameters: Move = (field, draft) => {
  if (!Array.isArray(field.value)) return draft.became(field.path, "ignored", "no list");
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [index] of field.value.entries()) {
    const parameter = field.member(index);
    const key = toText(parameter.member("key").value);
    if (key === undefined || key === "__proto__") continue;
    properties[key] = toProperty(parameter);
    const isOptional = parameter.member("requirement").value === "optional";
    if (!isOptional && parameter.member("default").value === undefined) required.push(key);
  }
  draft.put("input_schema", { type: "object", properties, required, additionalProperties: false }, field);
  draft.instruct("What stands in {{ }} is in the request, by its name.");
  draft.became(field.path, "approximated", "input_schema");
};

function toProperty(parameter: Field): JsonSchema {
  const type = toText(parameter.member("input_type").value) ?? "string";
  const description = toText(parameter.member("description").value);
  const options = parameter.member("options").value;
  const preset = parameter.member("default").value;
  return {
    ...(Object.hasOwn(TYPES, type) ? TYPES[type] : TYPES["string"]),
    ...(description !== undefined && { description }),
    ...(Array.isArray(options) && options.length > 0 && { enum: options }),
    ...(preset !== undefined && preset !== null && { default: preset }),
  } as JsonSchema;
}

const moveResponse: Move = (field, draft) => {
  const schema = field.member("json_schema");
  if (!isMapping(schema.value)) return draft.became(field.path, "ignored", "no json_schema");
  draft.put("output_schema", schema.value, schema);
  draft.became(field.path, "mapped", "output_schema");
};

const moveSettings: Move = (field, draft) => {
  const moves = { goose_model: moveModel, temperature: moveTemperature, max_turns: moveTurns };
  for (const [key, move] of Object.entries(moves)) {
    const member = field.member(key);
    if (member.value !== undefined && member.value !== null) move(member, draft);
  }
  draft.became(field.path, "approximated", "model, temperature and turns");
};

/** The recipes of goose, in YAML or JSON. */
export const GOOSE: Dialect = {
  fields: {
    title: (field, draft) => {
      if (!draft.has("name")) moveName(field, draft);
    },
    name: moveName,
    description: moveDescription,
    instructions: moveInstructions,
    prompt: moveInstructions,
    extensions: moveExtensions,
    settings: moveSettings,
    parameters: moveParameters,
    response: moveResponse,
    sub_recipes: ignore("agents ask other agents by their names"),
    retry: refuse("commands of a recipe are not run"),
    activities: forDisplay,
    author: forDisplay,
    version: forDisplay,
  },
};
