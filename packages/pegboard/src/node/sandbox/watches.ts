import type { Resource } from "@pegboard/contract";
import type { ToPlugin } from "./plugin-protocol.ts";

/** What of a plugin's resources is watched, by numbers of the outside. */
export interface Watches {
  begin(wanted: Omit<ToPlugin & { readonly type: "watch" }, "type">): void;
  end(watch: number): void;
}

/** Keeps the watches of a plugin in its own process. One that cannot be had tells nothing, and its output says why. */
export function createWatches(resources: readonly Resource[], changed: (watch: number) => void): Watches {
  const open = new Map<number, Disposable>();
  const safely = (act: () => void) => {
    try {
      act();
    } catch (error) {
      console.error("a resource cannot be watched:", error);
    }
  };
  return {
    begin: ({ watch, index, uri }) =>
      safely(() => {
        const watching = resources[index]?.watch?.(uri, () => changed(watch));
        if (watching) open.set(watch, watching);
      }),
    end(watch) {
      const watching = open.get(watch);
      open.delete(watch);
      safely(() => watching?.[Symbol.dispose]());
    },
  };
}
