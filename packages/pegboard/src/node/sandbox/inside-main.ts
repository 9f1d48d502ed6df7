import { registerHooks } from "node:module";
import * as nodeModule from "node:module";

// The first file in a process or thread for tools. It must resolve the packages of a checkout to their sources before
// anything that imports them is loaded.
if (import.meta.url.endsWith(".ts")) {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      if (!/^(pegboard|@pegboard\/[^/]+)(\/|$)/.test(specifier)) return nextResolve(specifier, context);
      return nextResolve(specifier, { ...context, conditions: [...context.conditions, "pegboard:source"] });
    },
  });
}
nodeModule.enableCompileCache();
const { serveInside } = await import("./inside.ts");
serveInside();
