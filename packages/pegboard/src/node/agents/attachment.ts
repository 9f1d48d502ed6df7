import { PegboardError } from "../../core/error.ts";
import type { RunPlace } from "../../core/own-tools.ts";
import { filesystemOf } from "../files/filesystem.ts";
import { locate } from "../files/mounts.ts";
import { readWhole, withFile } from "../files/read-inside.ts";

/** Reads a file, as base64, that whoever starts the run could read with `read_file`; undefined where there are no files. */
export function attachmentReader(place: Pick<RunPlace, "find" | "allows">) {
  const tool = place.find("read_file")?.tool;
  const files = tool && filesystemOf(tool);
  if (!files) return undefined;
  return async (path: string, mostBytes: number): Promise<string> => {
    const at = locate(files.mounts(), path);
    if (!(await place.allows("read_file", { path })))
      throw new PegboardError(
        "denied",
        `"${path}" cannot be attached: whoever attaches it may not read it with read_file without being asked`,
      );
    const bytes = await withFile(at, (file) => readWhole(file, mostBytes, at.path));
    return bytes.toString("base64");
  };
}
