import type { Command } from "commander";
import type { GlobalOptions } from "./settings.ts";
import type { Terminal } from "./terminal.ts";

/** What a command is run with. */
export interface CommandInput {
  readonly arguments: readonly unknown[];
  readonly options: GlobalOptions & Readonly<Record<string, unknown>>;
  readonly terminal: Terminal;
  /** The whole command line, for commands that describe it. */
  readonly program: Command;
}

/** Runs a command. Resolves to the exit code; what it throws is explained by its code. */
export type RunCommand = (input: CommandInput) => Promise<number>;

/** A command as the help shows it; its code is loaded when it runs. */
export interface CommandSpec {
  readonly name: string;
  readonly description: string;
  readonly usage?: string;
  readonly arguments?: readonly { readonly name: string; readonly description: string; readonly fallback?: unknown }[];
  readonly options?: readonly {
    readonly flags: string;
    readonly description: string;
    readonly choices?: readonly string[];
    /** It may be given several times; its value is a list. */
    readonly repeats?: boolean;
  }[];
  readonly commands?: readonly CommandSpec[];
  readonly examples?: readonly string[];
  readonly load?: () => Promise<RunCommand>;
}
