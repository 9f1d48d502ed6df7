import { registerHooks } from "node:module";

let registered = false;

/**
 * Lets modules in any folder import `pegboard`, `pegboard/<subpath>` and `@pegboard/contract` although nothing is
 * installed there: what normal resolution does not find comes from the pegboard that runs. A copy that is installed
 * beside the module still wins. Holds for `import` in this thread, from the first call on; further calls do nothing.
 */
export function resolveSelf(): void {
  if (registered) return;
  registered = true;
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (!isOurs(specifier)) return nextResolve(specifier, context);
      try {
        return nextResolve(specifier, context);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
        return nextResolve(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}

function isOurs(specifier: string): boolean {
  return specifier === "pegboard" || specifier.startsWith("pegboard/") || specifier === "@pegboard/contract";
}
