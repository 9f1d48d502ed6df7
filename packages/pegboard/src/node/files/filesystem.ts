import type { Tool } from "@pegboard/contract";
import type { FileAccess } from "./access.ts";
import { editFileTool } from "./edit-file.ts";
import { deleteFileTool, fileExistsTool, fileInfoTool } from "./file-facts.ts";
import { globTool, listFilesTool } from "./list-files.ts";
import { type FilesystemScope, type Mount, type MountOptions, narrowMounts, toMounts } from "./mounts.ts";
import { type IsProtected, toProtection } from "./protected.ts";
import { readFileTool } from "./read-file.ts";
import { searchFilesTool } from "./search-files.ts";
import { Seen } from "./seen.ts";
import { writeFileTool } from "./write-file.ts";

/** Which real folders the file tools see. */
export interface FilesystemOptions {
  /** By default the base folder, at `/`. */
  readonly mounts?: MountOptions;
  /** Nothing is written anywhere. */
  readonly readonly?: boolean;
  /** The folder that relative paths of the mounts start from; by default the working folder. */
  readonly base?: string;
  /** Files and folders that are never changed without asking, besides those that always are. */
  readonly protect?: readonly string[];
}

/** Real folders, and the tools that work in them and nowhere else. */
export interface Filesystem {
  readonly tools: readonly Tool[];
  /** The mounts as they are now. */
  mounts(): readonly Mount[];
  readonly isProtected: IsProtected;
  /**
   * The same tools for fewer folders, or only for reading. Throws when that would be more than there is. `current` gives the
   * files as they are at each call, where others may take their place; a call throws when nothing is left of the part by then.
   */
  narrow(scope: FilesystemScope, current?: () => Filesystem): Filesystem;
}

/** Makes the file tools for real folders. Throws `invalid_config` when a folder is not there or two have one path. */
export function createFilesystem(options: FilesystemOptions = {}): Filesystem {
  const { mounts = { "/": "." }, readonly = false, base = process.cwd(), protect } = options;
  const fixed = toMounts(mounts, readonly, base);
  return toFilesystem(() => fixed, toProtection(protect));
}

function narrowFilesystem(files: () => Filesystem, scope: FilesystemScope): Filesystem {
  let from: readonly Mount[] | undefined;
  let narrowed: readonly Mount[] = [];
  const mounts = () => {
    const current = files().mounts();
    if (current !== from) narrowed = narrowMounts(current, scope);
    from = current;
    return narrowed;
  };
  mounts();
  return toFilesystem(mounts, (root, real) => files().isProtected(root, real));
}

const filesystems = new WeakMap<object, Filesystem>();

/** The files that a tool works in; undefined for a tool that is none of a filesystem's. */
export function filesystemOf(tool: object): Filesystem | undefined {
  return filesystems.get(tool);
}

function toFilesystem(mounts: () => readonly Mount[], isProtected: IsProtected): Filesystem {
  const access: FileAccess = { mounts, isProtected, seen: new Seen() };
  const files: Filesystem = {
    tools: [
      readFileTool,
      writeFileTool,
      editFileTool,
      listFilesTool,
      deleteFileTool,
      fileExistsTool,
      fileInfoTool,
      searchFilesTool,
      globTool,
    ].map((make) => make(access)),
    mounts,
    isProtected,
    narrow: (scope, current = () => files) => narrowFilesystem(current, scope),
  };
  for (const tool of files.tools) filesystems.set(tool, files);
  return files;
}
