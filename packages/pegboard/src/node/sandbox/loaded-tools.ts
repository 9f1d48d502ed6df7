import type { Plugin } from "@pegboard/contract";
import { toFailure } from "../../core/error.ts";
import type { AnyTool } from "../../core/registry.ts";
import { loadRecipe, type Recipe } from "../load-recipe.ts";
import type { SentDefinition, SentTools } from "./protocol.ts";
import { toSentDefinition } from "./sent-definition.ts";

/** What a recipe yields in the process that its code runs in, and what of that is told outside. */
export interface LoadedTools {
  readonly tools: readonly AnyTool[];
  readonly sent: SentTools;
  readonly plugin?: Plugin | undefined;
}

// What most processes do not hold is not loaded in them.
const sentPlugins = () => import("./sent-plugin.ts");

/** Runs the code of a recipe. What cannot be told outside is among the problems. */
export async function loadTools(recipe: Recipe): Promise<LoadedTools> {
  const loaded = await loadRecipe(recipe);
  const tools: AnyTool[] = [];
  const sent: SentDefinition[] = [];
  const problems = [...loaded.problems];
  for (const tool of loaded.tools) {
    try {
      sent.push(toSentDefinition(tool));
      tools.push(tool);
    } catch (error) {
      problems.push({ name: tool.name, message: toFailure(error).message });
    }
  }
  const { exports, module } = loaded;
  const plugin = module && (await sentPlugins()).toSentPlugin(module, tools);
  const all = { tools: sent, problems, ...(exports && { exports }), ...(plugin && { plugin }) };
  return { tools, sent: all, plugin: module?.plugin };
}
