/** Where one output of a command goes: to its own channel, to the other one, or nowhere. */
export type Output = "out" | "err" | "null";

/** A command that runs without a shell: exactly these words, this text on standard input if any, these outputs. */
export interface PlainCommand {
  readonly argv: readonly string[];
  readonly stdin?: string;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Commands joined by `|`, and on what outcome of the step before they run. */
export interface Step {
  readonly when: "always" | "success" | "failure";
  readonly commands: readonly PlainCommand[];
}

/** One command of a text. A word that only a shell could work out is undefined. */
export interface FoundCommand {
  readonly words: readonly (string | undefined)[];
  /** What the words may become when everything that a shell works out turns out empty; absent where nothing is. */
  readonly guess?: readonly string[];
  /** What keeps it from being run as it stands; undefined when nothing does. */
  readonly obstacle?: string;
  /** Literal text that it would read. */
  readonly stdin?: string;
  /** Commands of one pipeline share this number. */
  readonly pipeline: number;
}

/** A text in the grammar of shells. */
export interface ParsedShell {
  /** Every command of it, those in substitutions and control flow too. */
  readonly commands: readonly FoundCommand[];
  /** How to run it without a shell; undefined when it takes one. */
  readonly steps?: readonly Step[];
  /** Why it takes one. */
  readonly obstacle?: string;
  /** Whether `commands` are sure to be all: not where the text is broken, or too deep or too long to look through. */
  readonly complete: boolean;
}
