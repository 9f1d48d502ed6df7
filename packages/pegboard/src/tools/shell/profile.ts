import type { Folder } from "./folder.ts";

/** A word of a command that is no option. */
export type Operand =
  /** Anything: it is data. */
  | "text"
  /** Must not lead out of the workspace. */
  | "path"
  /** The same, and no folder. */
  | "file"
  /** The same as a path, and nothing of what git keeps about a repository. */
  | "tree"
  /** The same as a path, and none that is there: the name of a revision, not of files whose changes would be lost. */
  | "revision"
  /** A remote of git by its name: not an address, and nothing that could be taken for a folder. */
  | "remote"
  /** A branch to publish: not by force, not to be deleted. */
  | "refspec"
  /** A name, or two with a slash between: no room for the name of a machine. */
  | "slug"
  /** Only as the rule spells it out. */
  | "spelled";

/** What a command was found to be, for a check of all its parts together. */
export interface Parts {
  readonly argv: readonly string[];
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
  /** Why the program is not covered in this folder at all, or undefined. */
  readonly place?: (folder: Folder) => string | undefined;
  /** Why these parts are not covered together, or undefined. */
  readonly check?: (parts: Parts) => string | undefined;
}
