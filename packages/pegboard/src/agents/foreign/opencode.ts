import { isMapping } from "../field.ts";
import type { Dialect, Move } from "./draft.ts";
import {
  forDisplay,
  ignore,
  moveDescription,
  moveMode,
  moveModel,
  moveName,
  moveTemperature,
  moveTurns,
  toText,
} from "./moves.ts";
import { allowNames, moveTools, toDenied } from "./move-tools.ts";
import { movePermission, moveRules } from "./opencode-permission.ts";
import { toServerTool } from "./server-tool.ts";

/** `{ write: false, "sentry_*": true }`: everything is allowed but what is false, unless `*` is. */
const moveSwitches: Move = (field, draft) => {
  if (!isMapping(field.value)) return moveTools(field, draft);
  const named = Object.entries(field.value).filter(([name]) => name !== "*");
  const off = named.filter(([, value]) => !isOn(value)).map(([name]) => name);
  const on = named.filter(([, value]) => isOn(value)).map(([name]) => name);
  const isClosed = Object.hasOwn(field.value, "*") && !isOn(field.value["*"]);
  if (isClosed) allowNames(on, field, draft);
  draft.deny(
    off.flatMap((name) => (CHANGES.includes(name) ? CHANGES : [name])).flatMap((name) => toDenied(name, draft)),
    field,
  );
  const note = isClosed ? `only: ${on.join(", ") || "nothing"}` : `denied: ${off.join(", ") || "nothing"}`;
  draft.became(field.path, "approximated", note);
};

/** Whoever may not change files with one of these may not with the others. */
const CHANGES: readonly string[] = ["edit", "write", "patch", "multiedit", "apply_patch"];

// Anything but a clear yes is a no.
function isOn(value: unknown): boolean {
  return value === true || value === "true";
}

const moveDisable: Move = (field, draft) => {
  if (field.value !== true) return draft.became(field.path, "mapped");
  draft.became(field.path, "mapped", "no agent");
  draft.add("no-agent", field, { code: "disabled", message: `${field.path} is true: there is no agent` });
};

/** `{file:…}` is the text of that file, where it may be read. What the environment holds is told to no model. */
const movePrompt: Move = (field, draft) => {
  const written = toText(field.value);
  if (written === undefined) return draft.became(field.path, "ignored", "no text");
  const left = new Set(Array.from(written.matchAll(/\{env:[^{}]*\}/g), ([place]) => place));
  const text = written.replaceAll(/\{file:([^{}\n]+)\}/g, (place, name: string) => {
    const filled = draft.options.files?.get(name);
    if (filled === undefined) left.add(place);
    return filled ?? place;
  });
  draft.instruct(text);
  const note = left.size === 0 ? undefined : `${[...left].join(", ")} stays as it is`;
  draft.became(field.path, left.size === 0 ? "mapped" : "approximated", note);
};

const PROVIDERS = ignore("it is for the provider of the model");

/** The files of opencode: markdown, and the agents of its configuration. */
export const OPENCODE: Dialect = {
  namedByFile: true,
  fields: {
    name: moveName,
    description: moveDescription,
    model: moveModel,
    temperature: moveTemperature,
    prompt: movePrompt,
    mode: moveMode,
    tools: moveSwitches,
    permission: movePermission,
    permissions: moveRules,
    steps: moveTurns,
    maxSteps: moveTurns,
    disable: moveDisable,
    disabled: moveDisable,
    hidden: forDisplay,
    color: forDisplay,
    variant: PROVIDERS,
    top_p: PROVIDERS,
    options: PROVIDERS,
  },
  serverTool: (name) => toServerTool(/^([A-Za-z][A-Za-z0-9-]*)_\*$/.exec(name)?.[1] ?? "", "*"),
};
