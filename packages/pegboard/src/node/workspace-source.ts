import type { Diagnostic } from "../core/diagnostic.ts";
import type { Judge } from "../core/judge.ts";
import type { Offered } from "../core/offer-shelves.ts";
import type { AnyTool, RegisterOptions } from "../core/registry.ts";
import type { Filesystem } from "./files/filesystem.ts";
import type { Sandbox } from "./sandbox/sandbox.ts";

/** One place of a workspace that yields tools. Nothing of it runs before `load`. */
export interface WorkspaceSource {
  /** Stays the same from one reading to the next. */
  readonly key: string;
  /** Changes exactly when it must be loaded anew. */
  readonly signature: string;
  /** In words, for a person who decides whether to trust it. */
  readonly label: string;
  /** The local files that it runs. */
  readonly files: readonly string[];
  readonly options: RegisterOptions;
  /** Runs it where the sandbox lets it run. Never rejects. */
  load(sandbox: Sandbox): Promise<LoadedSource>;
}

/** What a source yielded. */
export interface LoadedSource {
  readonly tools: readonly AnyTool[];
  readonly diagnostics: readonly Diagnostic[];
  /** Decides about what the tools are given: it is registered with them. */
  readonly judge?: Judge;
  /** The same for one of them. */
  judgeOf?(tool: AnyTool): Judge | undefined;
  /** What it yields besides tools. */
  readonly offers?: Offered;
  /** Whoever no longer needs the tools calls it. */
  release?(): void;
  /** The files whose tools these are. */
  readonly filesystem?: Filesystem;
}
