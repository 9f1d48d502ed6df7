/** Where a path leads: to a file or a folder of the workspace, to nothing that is there, or out of it. */
export type Place = "file" | "folder" | "absent" | "outside";

/** Says where a path leads, from the folder in which the command would run. */
export type Locate = (path: string) => Place;

/** A word of a command that is no option. */
export type Operand =
  /** Anything: it is data. */
  | "text"
  /** Must not lead out of the workspace. */
  | "path"
  /** The same, and no folder. */
  | "file"
  /** A remote of git by its name: not an address, and nothing that could be taken for a folder. */
  | "remote"
  /** A branch to publish: not by force, not to be deleted. */
  | "refspec"
  /** Only as the rule spells it out. */
  | "spelled"
  /** A web address of a public name. */
  | "url";

/** What a command was found to be, for a check of all its parts together. */
export interface Parts {
  readonly options: ReadonlySet<string>;
  readonly operands: readonly string[];
}

/**
 * What a rule that allows a program, or one sub-command of it, covers. Whatever is not listed here is not covered: then
 * somebody is asked.
 */
export interface Profile {
  /** The options, parted by blanks; `parseOptions` says how they are written. */
  readonly options?: string;
  /** What the operands are, one after the other; the last kind holds for all that follow. Absent is none at all. */
  readonly operands?: readonly Operand[];
  readonly commands?: Readonly<Record<string, Profile>>;
  /** Covered only by a rule that names it: it publishes, destroys, or runs code of the project. */
  readonly spelled?: true;
  /** Options are whole words behind one dash, as in `find -name`. */
  readonly whole?: true;
  /** Why these parts are not covered together, or undefined. */
  readonly check?: (parts: Parts) => string | undefined;
}
