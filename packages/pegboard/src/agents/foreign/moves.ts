import { createField, type Field, isMapping } from "../field.ts";
import { toName } from "../agent-name.ts";
import type { Draft, Move } from "./draft.ts";
import { chooseAlias } from "./model-names.ts";

const MOST_DESCRIPTION = 8_192;

/** Says that a field is left out, and why. */
export function ignore(note: string): Move {
  return ({ path }, draft) => draft.became(path, "ignored", note);
}

/** Says that a field is left out because it would run something, or lift a limit. */
export function refuse(note: string): Move {
  return ({ path }, draft) => draft.became(path, "unsafe", note);
}

/** A name of any form; one that cannot be ours gives way to the name of the file. */
export const moveName: Move = (field, draft) => {
  const written = toText(field.value)?.trim() ?? "";
  const name = toName(written);
  if (name === undefined) return;
  draft.put("name", name, field);
  if (name === written) return draft.became(field.path, "mapped");
  draft.became(field.path, "approximated", name);
  const message = `${field.path} ${JSON.stringify(written.slice(0, 80))} is no name here; the agent is called "${name}"`;
  draft.add("warning", field, { code: "changed_name", message });
};

/** Gives an agent the name of its file when no field could give one. */
export function nameAfterFile(fields: readonly Field[], draft: Draft): void {
  const { name: file = "", line } = draft.options;
  const name = toName(file) ?? toName(`agent-${file.replaceAll(/[^A-Za-z0-9_-]+|__+/g, "-")}`) ?? "agent";
  const written = fields.find(({ path }) => path === "name");
  const from = written ?? createField("name", undefined, () => ({ line }));
  draft.put("name", name, from);
  if (written) draft.became("name", "approximated", name);
  const what = written ? "name cannot be one here" : "name is missing";
  const isUsual = !written && draft.dialect.namedByFile;
  // Of a file without any field that has been said.
  if (fields.length > 0 && !isUsual)
    draft.add("warning", from, {
      code: written ? "changed_name" : "missing_name",
      message: `${what}; the agent is called "${name}", as its file is`,
    });
}

/** A text of any length. */
export const moveDescription: Move = (field, draft) => {
  const text = toText(field.value);
  if (text === undefined) return draft.became(field.path, "ignored", "no text");
  draft.put("description", text.slice(0, MOST_DESCRIPTION), field);
  if (text.length <= MOST_DESCRIPTION) draft.became(field.path, "mapped");
  else draft.became(field.path, "approximated", `cut to ${MOST_DESCRIPTION} characters`);
};

/** The name of a model, or several of which the first that there is counts. */
export const moveModel: Move = (field, draft) => {
  const names = (Array.isArray(field.value) ? field.value : [field.value]).filter((one) => typeof one === "string");
  if (names.length === 0) return draft.became(field.path, "ignored", "no name of a model");
  const chosen = names.map((name) => chooseAlias(name, draft.options.models ?? []));
  const { model, note } = chosen.find((one) => one.model !== undefined) ?? chosen[0]!;
  if (model !== undefined) draft.put("model", model, field);
  draft.became(field.path, note === undefined ? "mapped" : "approximated", note);
};

/** A number of a range, also as a text; what is none says nothing. */
function moveNumber(key: string, least: number, most: number, { whole = false } = {}): Move {
  return (field, draft) => {
    const number = typeof field.value === "string" && field.value.trim() !== "" ? Number(field.value) : field.value;
    const fits = typeof number === "number" && number >= least && number <= most;
    if (!fits || (whole && !Number.isSafeInteger(number)))
      return draft.became(field.path, "ignored", `no ${whole ? "whole " : ""}number from ${least} to ${most}`);
    draft.put(key, number, field);
    draft.became(field.path, "mapped");
  };
}

export const moveTemperature = moveNumber("temperature", 0, 2);
export const moveTurns = moveNumber("max_turns", 1, Number.MAX_SAFE_INTEGER, { whole: true });

const EFFORTS: Readonly<Record<string, string>> = {
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "high",
  max: "high",
};

/** How hard the model should think. */
export const moveEffort: Move = (field, draft) => {
  const written = toText(field.value)?.toLowerCase() ?? "";
  const effort = Object.hasOwn(EFFORTS, written) ? EFFORTS[written] : undefined;
  if (effort === undefined) return draft.became(field.path, "ignored", "not known here");
  draft.put("reasoning_effort", effort, field);
  draft.became(field.path, effort === written ? "mapped" : "approximated", effort === written ? undefined : effort);
};

/** A mode of ours; what others say there is who starts the agent, which is no right. */
export const moveMode: Move = (field, draft) => {
  if (["full", "read-only", "none"].includes(toText(field.value) ?? "")) draft.put("mode", field.value, field);
  else draft.became(field.path, "ignored", "it says who starts the agent, or nothing that is known");
};

/** A text that the agent is told, besides the text of the file. */
export const moveInstructions: Move = (field, draft) => {
  const text = toText(field.value);
  if (text === undefined) return draft.became(field.path, "ignored", "no text");
  draft.instruct(text);
  draft.became(field.path, "mapped");
};

/** What only people look at. */
export const forDisplay = ignore("it is for display");

/** A text, or what is written as a number or a word; undefined for lists, mappings and nothing. */
export function toText(value: unknown): string | undefined {
  if (value === null || value === undefined || Array.isArray(value) || isMapping(value)) return undefined;
  return String(value);
}
