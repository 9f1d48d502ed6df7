import { defineTool, type Tool } from "@pegboard/contract";
import { matchesPath } from "../../core/glob.ts";
import { matchesName } from "../../core/name.ts";
import { type FileAccess, MAX_FILE_BYTES } from "./access.ts";
import { show } from "./file-error.ts";
import { toFilePath } from "./file-path.ts";
import { type Held, holdEntry, holdExisting } from "./held.ts";
import { EVERYTHING, FOLDER, ignores, startsOf } from "./list-files.ts";
import { locate, type Mount, type MountedPlace } from "./mounts.ts";
import { readWhole, withHeldFile } from "./read-inside.ts";
import { binaryProblem, decodeText } from "./text.ts";
import { MAX_DEPTH, walk, type WalkOptions } from "./walk.ts";

const MOST_FILES = 200_000;
const MOST_BYTES = 512 * 1024 * 1024;
const MAX_LINE = 500;

/** One line that matches, with the lines around it. */
interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** The tool that finds text in files. */
export function searchFilesTool({ mounts }: FileAccess): Tool {
  return defineTool({
    name: "search_files",
    description:
      "Find lines that hold a text, in all text files of up to 10 MiB below a folder. The text is literal; with wildcard, * stands for any characters",
    input: {
      type: "object",
      properties: {
        pattern: { type: "string", minLength: 1, maxLength: 1000, description: "The text to find in a line" },
        path: { ...FOLDER, description: "Folder or file to search, such as /src; absent is all that is mounted" },
        glob: {
          type: "string",
          maxLength: 1000,
          description: "Only files whose path, from the folder on, matches: such as **/*.ts",
        },
        ignoreCase: { type: "boolean", default: false },
        wildcard: { type: "boolean", default: false },
        context: {
          type: "integer",
          minimum: 0,
          maximum: 10,
          default: 0,
          description: "How many lines to show around a match",
        },
        limit: { type: "integer", minimum: 1, maximum: 1000, default: 100, description: "How many matches to show" },
        everything: EVERYTHING,
      },
      required: ["pattern"],
      additionalProperties: false,
    },
    capabilities: ["read"],
    timeoutMs: 60_000,
    async execute({ pattern, path, glob, ignoreCase, wildcard, context, limit, everything }, { signal }) {
      const current = mounts();
      const matches: Match[] = [];
      const matcher = toMatcher(pattern, ignoreCase, wildcard);
      let [files, skipped, bytes, complete] = [0, 0, 0, true];
      for (const start of startsOf(current, path)) {
        const place = locate(current, start);
        const above = place.mount.at.length + place.names.length;
        const options = { depth: MAX_DEPTH, most: MOST_FILES, signal, skip: ignores(everything) };
        complete &&= await eachFile(current, place, options, async (file, names) => {
          if (glob !== undefined && !matchesPath(glob, names.slice(above).join("/"))) return true;
          const text = await textOf(file, toFilePath(names));
          if (text === undefined) skipped++;
          else files++;
          bytes += text?.length ?? 0;
          if (text !== undefined && matcher.mayHold(text))
            matches.push(...matchesIn(text, toFilePath(names), matcher, context, limit - matches.length));
          return matches.length < limit && bytes < MOST_BYTES;
        });
      }
      return toResult(matches, { files, skipped, complete });
    },
  });
}

/** Calls `visit` for every regular file below a place, or for the place itself. Whether all were visited. */
async function eachFile(
  mounts: readonly Mount[],
  place: MountedPlace,
  options: WalkOptions,
  visit: (file: Held, names: readonly string[]) => Promise<boolean>,
): Promise<boolean> {
  const held = await holdExisting(place);
  try {
    if (held.stats.isFile()) return await visit(held, [...place.mount.at, ...place.names]);
  } finally {
    held.release();
  }
  const { complete } = await walk(mounts, place, options, async ({ names, type, folder }) => {
    const file = type === "file" && folder ? await holdEntry(folder, names.at(-1)!, toFilePath(names)) : undefined;
    try {
      return file?.stats.isFile() ? await visit(file, names) : true;
    } finally {
      file?.release();
    }
  });
  return complete;
}

// What cannot be read, is no text or is too big holds nothing that could be found.
async function textOf(file: Held, path: string): Promise<string | undefined> {
  if (file.stats.size > MAX_FILE_BYTES) return undefined;
  const bytes = await withHeldFile(file, path, (open) => readWhole(open, MAX_FILE_BYTES, path)).catch(() => undefined);
  return bytes === undefined || binaryProblem(bytes) ? undefined : decodeText(bytes).text;
}

interface Matcher {
  /** A quick look at a whole text. */
  mayHold(text: string): boolean;
  matches(line: string): boolean;
}

function toMatcher(pattern: string, ignoreCase: boolean, wildcard: boolean): Matcher {
  const fold = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const sought = fold(pattern);
  if (!wildcard)
    return { mayHold: (text) => fold(text).includes(sought), matches: (line) => fold(line).includes(sought) };
  return { mayHold: () => true, matches: (line) => matchesName(`*${sought}*`, fold(line)) };
}

function matchesIn(text: string, path: string, { matches }: Matcher, context: number, most: number): Match[] {
  const lines = text.split(/\r?\n/);
  const found: Match[] = [];
  for (let index = 0; index < lines.length && found.length < most; index++) {
    if (!matches(lines[index]!)) continue;
    const around = context > 0 && {
      before: lines.slice(Math.max(0, index - context), index).map(cut),
      after: lines.slice(index + 1, index + 1 + context).map(cut),
    };
    found.push({ path, line: index + 1, text: cut(lines[index]!), ...around });
  }
  return found;
}

function cut(line: string): string {
  return line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line;
}

function toResult(
  matches: readonly Match[],
  { files, skipped, complete }: { files: number; skipped: number; complete: boolean },
) {
  const notes = [
    `${matches.length} ${matches.length === 1 ? "match" : "matches"} in ${files} files`,
    ...(skipped > 0 ? [`${skipped} were skipped: binary, too big or not readable`] : []),
    ...(complete ? [] : ["there may be more: search a folder further down, or raise the limit"]),
  ];
  return {
    content: [{ type: "text", text: [...matches.map(toText), `[${notes.join("; ")}]`].join("\n") }],
    structured: { matches, files, skipped, complete },
    meta: { kind: "text" },
  };
}

function toText({ path, line, text, before = [], after = [] }: Match): string {
  const place = show(path);
  const around = (lines: readonly string[], first: number) =>
    lines.map((one, index) => `${place}-${first + index}- ${one}`);
  return [...around(before, line - before.length), `${place}:${line}: ${text}`, ...around(after, line + 1)].join("\n");
}
