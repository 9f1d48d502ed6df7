import { PegboardError } from "../core/error.ts";
import type { Models } from "../core/model.ts";
import { costOf } from "./prices.ts";

/** Knows prices, and no models by name: where no providers are set up, a model itself must be given. */
export const NO_MODELS: Models = {
  resolve: (name) =>
    Promise.reject(
      new PegboardError(
        "invalid_config",
        `There is no model "${name}" here: no providers are set up. Pass models: createModels() of pegboard/ai-sdk, or a model itself`,
      ),
    ),
  cost: (model, usage) => costOf(model, usage),
};
