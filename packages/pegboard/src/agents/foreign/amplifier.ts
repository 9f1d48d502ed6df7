import { isMapping } from "../field.ts";
import type { Dialect, Move } from "./draft.ts";
import { ignore, moveDescription, moveModel, moveName, moveTemperature, toText } from "./moves.ts";
import { reportUnknown } from "./move-tools.ts";

/** Our tools for its modules. */
const MODULES: Readonly<Record<string, readonly string[]>> = {
  "tool-filesystem": ["read_file", "write_file", "edit_file", "list_files"],
  "tool-search": ["search_files", "glob"],
  "tool-grep": ["search_files"],
  "tool-glob": ["glob"],
  "tool-bash": ["shell"],
  "tool-web": ["web_fetch", "web_search"],
  "tool-task": ["agent"],
  "tool-delegate": ["agent"],
  "tool-skills": ["skill"],
};

const moveMeta: Move = (field, draft) => {
  if (!isMapping(field.value)) return draft.became(field.path, "ignored", "no mapping");
  for (const [key, move] of [
    ["name", moveName],
    ["description", moveDescription],
  ] as const) {
    const member = field.member(key);
    if (member.value !== undefined) move(member, draft);
  }
  draft.became(field.path, "mapped");
};

/** Modules of tools; their code is not loaded, what does the same here takes its place. */
const moveModules: Move = (field, draft) => {
  if (!Array.isArray(field.value)) return draft.put("tools", field.value, field);
  const names = field.value.map((entry) => toText(isMapping(entry) ? entry["module"] : entry) ?? "?");
  const unknown = names.filter((name) => !Object.hasOwn(MODULES, name));
  draft.allow(
    names.flatMap((name) => (Object.hasOwn(MODULES, name) ? MODULES[name]! : [])),
    field,
  );
  draft.became(field.path, "approximated", "tools of Pegboard instead of modules");
  if (unknown.length > 0) reportUnknown(unknown, field, draft);
};

/** The files of Microsoft Amplifier. */
export const AMPLIFIER: Dialect = {
  fields: {
    meta: moveMeta,
    name: moveName,
    description: moveDescription,
    tools: moveModules,
    model: moveModel,
    model_role: moveModel,
    temperature: moveTemperature,
    providers: ignore("the models of the workspace are used"),
    session: ignore("sessions are the workspace's"),
    hooks: ignore("modules of others are not run"),
  },
};
