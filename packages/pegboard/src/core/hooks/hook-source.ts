import type { Hooks } from "@pegboard/contract";
import { type HookOwner, type HookTable, toHookTable } from "./table.ts";

/** The hooks of the host and of whatever plugins there are now. The table is made anew only when the plugins' list is another. */
export function createHookSource(
  own: readonly Hooks[],
  plugins: { readonly hooks: readonly HookOwner[] },
): () => HookTable {
  const host = own.map((hooks) => ({ hooks }));
  let seen = plugins.hooks;
  let table = toHookTable([...host, ...seen]);
  return () => {
    if (seen !== plugins.hooks) {
      seen = plugins.hooks;
      table = toHookTable([...host, ...seen]);
    }
    return table;
  };
}
