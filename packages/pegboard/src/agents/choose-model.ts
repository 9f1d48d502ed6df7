import type { Agent } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import type { Model, Models } from "../core/model.ts";
import { matchesName } from "../core/name.ts";

/**
 * The model that an agent runs on: the first of those that are named. Rejects with `invalid_config` when none is, when it
 * cannot be had, and when the agent does not run on it.
 */
export async function chooseModel(
  agent: Agent,
  named: readonly (string | Model | undefined)[],
  models: Models,
): Promise<Model> {
  const asked = named.find((one) => one !== undefined && one !== "inherit");
  if (asked === undefined)
    throw new PegboardError(
      "invalid_config",
      `Agent "${agent.name}" has no model: name one in its file, in pegboard.yaml ("model: provider:name") or with --model`,
    );
  const model = typeof asked === "string" ? await models.resolve(asked) : asked;
  const { compatibleModels: patterns } = agent;
  if (patterns && !patterns.some((pattern) => matchesName(pattern, model.id)))
    throw new PegboardError(
      "invalid_config",
      `Agent "${agent.name}" does not run on ${model.id}; it runs on: ${patterns.join(", ")}`,
    );
  return model;
}
