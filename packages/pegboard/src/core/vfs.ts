/** One version of a virtual file. `version` starts at 1 and grows by one with every write of that path. */
export interface FileVersion {
  readonly path: string;
  readonly version: number;
  readonly text: string;
  readonly at: number;
  /** The agent that wrote it; absent when a client did. */
  readonly agent?: string;
  readonly call: string;
}

/**
 * The virtual files of a workspace. Paths are keys: whoever calls has normalised them. Text comes back as it was written,
 * save that a store may give U+FFFD for a lone surrogate, which has no bytes.
 */
export interface FileStore {
  read(path: string): Promise<FileVersion | undefined>;
  /** Adds a version and forgets the oldest beyond `keep`, which is at least 1. Resolves to the version written. */
  write(file: Omit<FileVersion, "version">, keep: number): Promise<FileVersion>;
  /** Every path, sorted by code unit. */
  list(): Promise<readonly string[]>;
  /** The versions that are kept, oldest first; empty when there is no such file. */
  history(path: string): Promise<readonly FileVersion[]>;
  /** Whether there was such a file. Its versions go with it: the next write of the path is version 1 again. */
  delete(path: string): Promise<boolean>;
}
