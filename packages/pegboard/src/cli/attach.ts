import { readFileSync, statSync } from "node:fs";
import { basename, resolve } from "node:path";
import { messageOf, PegboardError } from "../core/error.ts";
import type { Attachment } from "../core/run.ts";

const MOST_BYTES = 100 * 1024 * 1024;

/** Reads files of the person to take along. What the agent takes is for the run to say. Throws `invalid_config`. */
export function readAttachments(files: readonly string[]): readonly Attachment[] {
  return files.map((file) => ({ name: basename(file), data: readWhole(file).toString("base64") }));
}

function readWhole(file: string): Buffer {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) throw refused(file, `there is no file ${resolve(file)}`);
  if (!stats.isFile()) throw refused(file, `${stats.isDirectory() ? "it is a folder" : "it is no file"}: name a file`);
  if (stats.size > MOST_BYTES) throw refused(file, `it has more than ${MOST_BYTES} bytes`);
  try {
    return readFileSync(file);
  } catch (error) {
    throw refused(file, messageOf(error));
  }
}

function refused(file: string, why: string): PegboardError {
  return new PegboardError("invalid_config", `"${file}" cannot be attached: ${why}`);
}
