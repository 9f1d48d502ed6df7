import { availableParallelism } from "node:os";
import type { Diagnostic } from "../core/diagnostic.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import { type OfferShelves, shelveOffers } from "../core/offer-shelves.ts";
import type { RegisterOptions, Registry } from "../core/registry.ts";
import type { Filesystem } from "./files/filesystem.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";
import type { LoadedSource, WorkspaceSource } from "./workspace-source.ts";

/** Keeps a registry in step with the sources of a workspace. */
export interface Board {
  readonly diagnostics: readonly Diagnostic[];
  /** The real files that the sources give. Throws when they give none. */
  readonly filesystem: Filesystem;
  report(diagnostics: readonly Diagnostic[]): void;
  /** Loads what is new or has changed and takes away what is gone; what did not change stays where it hangs. */
  load(sources: readonly WorkspaceSource[], sandbox: Sandbox): Promise<void>;
  /** Lets the next `load` take up a source anew although its files did not change. */
  forget(key: string): void;
}

interface Hung {
  readonly signature: string;
  readonly sandbox: Sandbox;
  readonly tools: Disposable;
  readonly diagnostics: readonly Diagnostic[];
  readonly filesystem?: Filesystem | undefined;
}

/** Makes a board of the registry, and of the shelves for what sources yield besides tools. */
export function createBoard(registry: Registry, shelves: OfferShelves = {}): Board {
  const hung = new Map<string, Hung>();
  let reported: readonly Diagnostic[] = [];
  return {
    get diagnostics() {
      return [...Array.from(hung.values(), ({ diagnostics }) => diagnostics).flat(), ...reported];
    },
    get filesystem() {
      const filesystem = Array.from(hung.values(), (source) => source.filesystem).find((one) => one !== undefined);
      if (filesystem) return filesystem;
      throw new PegboardError("denied", "This workspace gives no real files: there is no toolset filesystem in it");
    },
    report(diagnostics) {
      reported = [...reported, ...diagnostics];
    },
    forget(key) {
      const present = hung.get(key);
      if (present) hung.set(key, { ...present, signature: "" });
    },
    async load(sources, sandbox) {
      reported = reported.filter(({ code }) => code !== "not_reloaded");
      const isThere = ({ key, signature }: WorkspaceSource) =>
        hung.get(key)?.signature === signature && hung.get(key)?.sandbox === sandbox;
      const missing = sources.filter((source) => !isThere(source));
      const loading = inParallel(missing, (source) => source.load(sandbox));
      // They load side by side and are hung in order, so that of two tools of one name it is always the same that stays.
      for (const { key, signature, options } of missing) {
        const present = hung.get(key);
        const loaded = await loading.get(key)!;
        // A file that broke while it was being edited must not take its tools away.
        if (present && loaded.tools.length === 0 && loaded.diagnostics.length > 0)
          hung.set(key, { ...present, diagnostics: loaded.diagnostics });
        else
          hung.set(key, {
            signature,
            sandbox,
            filesystem: loaded.filesystem,
            ...hang({ registry, shelves }, loaded, options, present?.tools),
          });
      }
      for (const [key, { tools }] of hung) {
        if (sources.some((source) => source.key === key)) continue;
        tools[Symbol.dispose]();
        hung.delete(key);
      }
    },
  };
}

function hang(
  { registry, shelves }: { readonly registry: Registry; readonly shelves: OfferShelves },
  { tools, diagnostics, judge, judgeOf, release, offers }: LoadedSource,
  given: RegisterOptions,
  before: Disposable | undefined,
) {
  const handles: Disposable[] = [];
  const refused: Diagnostic[] = [];
  for (const tool of tools) {
    const judging = judgeOf?.(tool) ?? judge;
    const options = { ...given, ...(judging && { judge: judging }) };
    try {
      handles.push(before ? registry.registerOrReplace(tool, options) : registry.register(tool, options));
    } catch (error) {
      refused.push({
        severity: "error",
        code: "not_loaded",
        message: messageOf(error),
        ...(options.source?.file && { file: options.source.file }),
      });
    }
  }
  before?.[Symbol.dispose]();
  const { prefix, source } = given;
  const owner = { ...(prefix !== undefined && { prefix }), ...(source?.file !== undefined && { file: source.file }) };
  // Their names are free only now.
  const shelved = offers && shelveOffers(offers, shelves, owner);
  const dispose = () => {
    for (const handle of handles) handle[Symbol.dispose]();
    shelved?.[Symbol.dispose]();
    release?.();
  };
  const left = (shelved?.problems ?? []).map((message): Diagnostic => ({
    severity: "warning",
    code: "not_loaded",
    message,
  }));
  return { tools: { [Symbol.dispose]: dispose }, diagnostics: [...diagnostics, ...refused, ...left] };
}

/** Starts the work for all sources, only so many at a time: each may start a process. */
function inParallel(
  sources: readonly WorkspaceSource[],
  work: (source: WorkspaceSource) => Promise<LoadedSource>,
): Map<string, Promise<LoadedSource>> {
  const lanes: Promise<unknown>[] = Array.from({ length: Math.max(2, availableParallelism()) }, () =>
    Promise.resolve(),
  );
  return new Map(
    sources.map((source, index) => {
      const lane = index % lanes.length;
      const loaded = lanes[lane]!.then(() => work(source));
      lanes[lane] = loaded;
      return [source.key, loaded];
    }),
  );
}
