import type { Models } from "../core/model.ts";
import { costOf } from "../models/prices.ts";
import type { ModelSettings, ModelPlaces } from "./models.ts";

// Few commands ask a model.
const providers = () => import("./models.ts");

/** The models that a configuration gives, whose providers are loaded when the first is asked for. */
export function lazyModels(settings: ModelSettings, places: ModelPlaces): Models {
  let loading: Promise<Models> | undefined;
  const load = async () => (await providers()).workspaceModels(settings, places);
  return {
    resolve: async (name) => (await (loading ??= load())).resolve(name),
    cost: (id, usage) => costOf(id, usage, settings.prices),
  };
}
