import type { Plugin } from "@pegboard/contract";
import type { Diagnostic } from "../../core/diagnostic.ts";
import type { FileReport } from "../../core/file-report.ts";
import type { LoadedPlugin, PluginOrigin } from "../../plugins/loaded-plugin.ts";
import type { PluginEntry } from "../../plugins/plugin-entry.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { WrittenSettings } from "./settings.ts";
import type { Surroundings } from "./surroundings.ts";

/** What came of a folder that should be a plugin. Nothing of it has run. */
export interface ReadPlugin {
  /** That of its manifest, or of its folder when it has none that can be read. */
  readonly name: string;
  readonly origin: PluginOrigin;
  /** Absent: nothing came of it, and an error among the diagnostics says why. */
  readonly loaded?: LoadedPlugin;
  /** Of a plugin that is a module: how it becomes what it is. */
  readonly code?: PluginCode;
  /** What those of its tools run that are programs, by the tools' names. */
  readonly runs?: Readonly<Record<string, readonly string[]>>;
  /** How its settings are written, where its format says more about them than a schema can. */
  readonly settings?: WrittenSettings;
  /** What it brings with some settings, where that depends on them. */
  readonly fill?: PluginEntry["fill"];
  /** What must be installed before it works. */
  readonly surroundings?: Surroundings;
  readonly diagnostics: readonly Diagnostic[];
  readonly reports: readonly FileReport[];
}

/** The code of a plugin. */
export interface PluginCode {
  /** Runs it, which only what is trusted may. Rejects when it cannot be run. */
  run(place: CodePlace): Promise<RunningPlugin>;
}

/** Where the code of a plugin runs. */
export interface CodePlace {
  readonly sandbox: Sandbox;
  /** It runs in this process. */
  readonly trusted: boolean;
  /** Calls the listener whenever the settings of a plugin may have changed. */
  onChange(listener: () => void): Disposable;
}

/** A plugin whose code runs. Whoever no longer needs it releases it. */
export interface RunningPlugin {
  /** Absent: it is none, and errors among the diagnostics say why. */
  readonly plugin?: Plugin;
  readonly diagnostics: readonly Diagnostic[];
  release(): void;
}
