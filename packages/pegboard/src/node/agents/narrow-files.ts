import { PegboardError } from "../../core/error.ts";
import type { RunPlace } from "../../core/own-tools.ts";
import { filesystemOf } from "../files/filesystem.ts";
import type { FilesystemScope } from "../files/mounts.ts";

/**
 * The file tools of a run for fewer files than there are where it runs, or only for reading. Throws when that would be
 * more. What somebody else put in the place of a file tool stays.
 */
export function narrowRunFiles(scope: FilesystemScope, place: RunPlace) {
  const filesOf = (name: string) => {
    const registration = place.find(name);
    return registration && filesystemOf(registration.tool);
  };
  const files = () => {
    const found = NAMES.map(filesOf).find((one) => one !== undefined);
    if (found) return found;
    throw new PegboardError("denied", "There are no real files here: the workspace has no toolset filesystem");
  };
  const narrower = files().narrow(scope, files);
  return {
    tools: narrower.tools.filter(({ name }) => filesOf(name)),
    // No tools of its own but less of those that are there: for agents that it asks, too.
    options: { source: { kind: "builtin", id: "filesystem" } },
  } as const;
}

const NAMES = ["read_file", "list_files", "file_info", "write_file"];
