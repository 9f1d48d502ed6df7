import { defineTool, type Tool } from "@pegboard/contract";
import { type FileAccess, MAX_FILE_BYTES, PATH } from "./access.ts";
import { locate } from "./mounts.ts";
import { type Lines, readLines, takeLines } from "./lines.ts";
import { type OpenFile, readWhole, withFile } from "./read-inside.ts";
import { decodeText, refuseBinaryBytes, refuseBinaryName } from "./text.ts";

const PART_LINES = 2_000;

/** The tool that reads a text file, all of it or some lines. */
export function readFileTool({ mounts, seen }: FileAccess): Tool {
  return defineTool({
    name: "read_file",
    description:
      "Read a text file, or some lines of it. A file of more than 10 MiB is read in parts: give offset or limit",
    input: {
      type: "object",
      properties: {
        path: PATH,
        offset: { type: "integer", minimum: 0, description: "How many lines to skip; 0 when absent" },
        limit: {
          type: "integer",
          minimum: 1,
          description: "How many lines to read; absent is all, of a big file 2,000",
        },
      },
      required: ["path"],
      additionalProperties: false,
    },
    capabilities: ["read"],
    async execute({ path: asked, offset, limit }, { session, signal }) {
      const place = locate(mounts(), asked);
      const { path } = place;
      refuseBinaryName(path);
      return withFile(place, async (file) => {
        const inPart = offset !== undefined || limit !== undefined;
        if (file.size > MAX_FILE_BYTES && inPart) {
          return toResult(
            path,
            file,
            await readLines(file, offset ?? 0, limit ?? PART_LINES, path, signal),
            offset ?? 0,
          );
        }
        const bytes = await readWhole(file, MAX_FILE_BYTES, path);
        refuseBinaryBytes(bytes, path);
        seen.note(session.id, file.real, bytes);
        return toResult(path, file, takeLines(decodeText(bytes), offset ?? 0, limit ?? Infinity), offset ?? 0);
      });
    },
  });
}

function toResult(path: string, { size, links }: OpenFile, part: Lines, offset: number) {
  const { text, lines, total, left, mark, lossy, cut } = part;
  const next = offset + lines;
  const notes = [
    ...(left > 0
      ? [
          `lines ${offset + 1} to ${next}${total === undefined ? "" : ` of ${total}`}; ${left} ${total === undefined ? "bytes" : "lines"} are left, go on with offset ${next}`,
        ]
      : []),
    ...(left === 0 && offset > 0 ? [`lines ${offset + 1} to ${next}, the end`] : []),
    ...(cut ? ["the last line is too long and is cut"] : []),
    ...(lossy ? ["bytes that are not UTF-8 are shown as U+FFFD"] : []),
    ...(links > 1 ? [`the file has ${links} names (hard links); the others may be anywhere`] : []),
  ];
  return {
    content: [{ type: "text", text }, ...(notes.length > 0 ? [{ type: "text", text: `[${notes.join("; ")}]` }] : [])],
    structured: {
      path,
      bytes: size,
      offset,
      lines,
      ...(total !== undefined && { total }),
      left,
      ...(left > 0 && { next }),
      ...(mark && { mark }),
      ...(lossy && { lossy }),
      ...(links > 1 && { links }),
    },
    meta: { kind: "file_content" },
  };
}
