/** What the operator says about where tools run; the `sandbox` of a `pegboard.yaml`. */
export interface SandboxSettings {
  /** Where modules run, and whether commands are confined. */
  readonly mode: "auto" | "process" | "worker" | "bubblewrap";
  /** Nothing runs when it cannot be confined. */
  readonly required: boolean;
  /** Whether what is confined has the network. */
  readonly network: boolean;
  /** How many MiB of memory each process may use. */
  readonly memory?: number;
}

/** What holds without any settings. */
export const DEFAULT_SANDBOX: SandboxSettings = { mode: "auto", required: false, network: false };

/** The settings, and the places that they hold for. */
export interface SandboxPlace {
  readonly settings: SandboxSettings;
  /** The folder that tools work in, and that confined programs may write. */
  readonly folder: string;
  /** What they may only read in it. */
  readonly protect?: readonly string[];
  /** What they do not get to see. */
  readonly hide?: readonly string[];
}
