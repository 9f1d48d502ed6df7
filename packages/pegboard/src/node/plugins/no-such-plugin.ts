import { PegboardError } from "../../core/error.ts";
import { nearest } from "../../core/nearest.ts";

/** The error of a name that no plugin has; it says which of these names may be meant. */
export function noSuchPlugin(name: string, names: readonly string[]): PegboardError {
  const near = nearest(name, names);
  const meant = near === undefined ? "; pegboard plugin list shows what there is" : `, did you mean "${near}"?`;
  return new PegboardError("not_found", `There is no plugin "${name}"${meant}`);
}
