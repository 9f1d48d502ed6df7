import type { LoadedRecipe } from "../load-recipe.ts";
import type { CodeSource } from "./code-source.ts";
import { createDefinitionCache, type DefinitionCache } from "./definition-cache.ts";
import type { CommandPlace } from "./drivers.ts";
import { fingerprint } from "./fingerprint.ts";
import { Isolate } from "./isolate.ts";
import { keyOf } from "./life.ts";
import type { SentTools } from "./protocol.ts";
import { toRemoteTool } from "./remote-tool.ts";
import { changedError, sealFiles } from "./seal.ts";
import type { SandboxPlace } from "./settings.ts";

/** What a sandbox is made of. */
export interface SandboxDeps extends SandboxPlace {
  /** Where it remembers which tools a source yields; absent is nowhere. */
  readonly cache?: string;
  /** Text that tools wrote to standard output or error, with the name of their source. */
  output?(label: string, text: string): void;
  /** A source yields other tools than it was said to: it must be loaded again. */
  changed?(key: string): void;
}

/** The tools of a source. Whoever no longer needs them releases them. */
export interface LoadedCode extends LoadedRecipe {
  release(): void;
}

/** Where the work of tools is done. */
export interface Sandbox extends AsyncDisposable {
  /** Loads code where its kind runs. Rejects when it cannot be had. */
  load(source: CodeSource): Promise<LoadedCode>;
  /** The process or thread of code, for whoever speaks with it directly and says when he no longer does. Starts nothing yet. */
  enter(source: CodeSource): { readonly isolate: Isolate; leave(): void };
  /** The command that runs a command as confined as the settings want. Rejects with `unavailable` when it must not run. */
  command(argv: readonly string[], place: CommandPlace): Promise<readonly string[]>;
  /** Says that a source is no longer what was loaded. */
  changed(key: string): void;
}

interface Sealed extends CodeSource {
  /** Whether its files are as they were when it was loaded. */
  isSame(): boolean;
}

// Most starts only list tools: what runs them is loaded when something runs.
const drivers = () => import("./drivers.ts");
const recipes = () => import("../load-recipe.ts");

/** Makes a sandbox. Nothing is started before it is needed. */
export function createSandbox(deps: SandboxDeps): Sandbox {
  const isolates = new Map<
    string,
    { readonly isolate: Isolate; readonly sources: Map<string, Sealed>; users: number }
  >();
  const changed = (key: string) => deps.changed?.(key);
  const retiring = new Set<Promise<void>>();
  const cache: DefinitionCache | undefined = deps.cache === undefined ? undefined : createDefinitionCache(deps.cache);

  function enter(source: CodeSource) {
    const key = JSON.stringify(source.process);
    let entry = isolates.get(key);
    if (!entry) {
      const sources = new Map<string, Sealed>();
      const isolate = new Isolate({
        label: source.process.label,
        start: async (listener) => {
          // The code is read only now, perhaps long after the person agreed to it.
          for (const { key: name, process, isSame } of sources.values()) {
            if (isSame()) continue;
            changed(name);
            throw changedError(process.label);
          }
          return (await drivers()).startCode(source, deps, listener);
        },
        output: (text) => deps.output?.(source.process.label, text),
        changed: (recipe) => {
          const { files, env, key: name } = sources.get(keyOf(recipe)) ?? source;
          cache?.refuse(fingerprint(recipe, files, env));
          changed(name);
        },
      });
      isolates.set(key, (entry = { isolate, sources, users: 0 }));
    }
    entry.users++;
    entry.sources.set(keyOf(source.recipe), { ...source, isSame: sealFiles(source.files) });
    const leave = () => {
      if (--entry.users > 0) return;
      isolates.delete(key);
      const retired = entry.isolate.retire().finally(() => retiring.delete(retired));
      retiring.add(retired);
    };
    return { isolate: entry.isolate, leave };
  }

  return {
    enter,
    async load(source) {
      const { recipe, files, env } = source;
      if (source.trusted) {
        const { loadRecipe } = await recipes();
        return { ...(await loadRecipe(recipe)), release: () => {} };
      }
      const { isolate, leave } = enter(source);
      try {
        const key = cache && fingerprint(recipe, files, env);
        const known = key === undefined ? undefined : cache?.read(key);
        if (known) isolate.expect(recipe, known);
        const sent: SentTools = known ?? (await isolate.load(recipe));
        if (key !== undefined && !known) cache?.write(key, sent);
        const tools = sent.tools.map((definition, index) => toRemoteTool(definition, isolate, recipe, index));
        return { ...sent, tools, release: leave };
      } catch (error) {
        leave();
        throw error;
      }
    },
    command: async (argv, place) => (await drivers()).confineCommand(argv, place, deps),
    changed,
    async [Symbol.asyncDispose]() {
      await Promise.all([...Array.from(isolates.values(), ({ isolate }) => isolate.close()), ...retiring]);
    },
  };
}
