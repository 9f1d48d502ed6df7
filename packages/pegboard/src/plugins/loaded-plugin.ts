import type { Plugin } from "@pegboard/contract";
import type { Diagnostic } from "../core/diagnostic.ts";
import type { FileReport } from "../core/file-report.ts";

/** Whose form a plugin was written in. */
export type PluginFormat = "pegboard" | "module" | "claude" | "agent-plugin" | "agent-skills" | "gemini" | "codex";

/** Where a plugin comes from. */
export interface PluginOrigin {
  readonly format: PluginFormat;
  readonly folder?: string;
  /** Its manifest or module. */
  readonly file?: string;
  /** Of everything that was read. */
  readonly digest?: string;
  /** The line that asked for it. */
  readonly enabledBy?: { readonly file: string; readonly line?: number };
}

/** A plugin that was read and of which nothing has run. With an error among the diagnostics something of it is missing. */
export interface LoadedPlugin {
  readonly plugin: Plugin;
  readonly origin: PluginOrigin;
  readonly diagnostics: readonly Diagnostic[];
  /** What became of each of its files. */
  readonly reports: readonly FileReport[];
}
