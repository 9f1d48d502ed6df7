import { type FileAccess, MAX_FILE_BYTES, refuseDetour, toWritable, turnOf } from "./access.ts";
import { type Diff, toDiff } from "./diff.ts";
import { refuse } from "./file-error.ts";
import { inTurn } from "./in-turn.ts";
import { needFile, readWhole, withHeldFile } from "./read-inside.ts";
import { binaryProblem, decodeText } from "./text.ts";
import { replaceFile, type Target, toTarget } from "./write-inside.ts";

/** What there was of a file before it is changed; undefined bytes are too many to look at. */
export interface Before {
  readonly bytes: Buffer | undefined;
}

/** How a file is changed. */
export interface Change {
  readonly path: string;
  readonly session: string;
  /** Whether to make the file, and its folders, when they are missing. */
  readonly make: boolean;
  /** The new bytes; `before` is undefined when the file is new. May throw. */
  apply(before: Before | undefined, path: string): Buffer;
}

/**
 * Changes a file, after every other change of it that was begun before. A file that the session has seen and that
 * somebody else has changed since is refused with `tool_error`. Resolves to the result of the tool.
 */
export async function changeFile(access: FileAccess, change: Change) {
  const place = toWritable(access.mounts(), change.path);
  const check = refuseDetour(access, place);
  return inTurn(await turnOf(place), async () => {
    const target = await toTarget(place, { make: change.make, check });
    try {
      return await changeTarget(access, change, target);
    } finally {
      target.release();
    }
  });
}

async function changeTarget({ seen }: FileAccess, { session, make, apply }: Change, target: Target) {
  const { entry, real, path } = target;
  if (!entry && !make) throw refuse("not_found", path, "there is no such file");
  const before = entry && (await readBefore(target));
  if (before?.bytes && seen.isStale(session, real, before.bytes)) {
    throw refuse(
      "tool_error",
      path,
      "it was changed by somebody else since it was last read or written here; read it again first",
    );
  }
  const bytes = apply(before, path);
  if (bytes.length > MAX_FILE_BYTES)
    throw refuse(
      "invalid_input",
      path,
      `it would have ${bytes.length} bytes, and at most ${MAX_FILE_BYTES} are written at once`,
    );
  const action = !before ? "created" : before.bytes?.equals(bytes) ? "unchanged" : "modified";
  if (action !== "unchanged") await replaceFile(target, bytes);
  seen.note(session, real, bytes);
  return toResult(path, action, bytes, diffOf(before, bytes, path));
}

async function readBefore({ entry, path }: Target): Promise<Before> {
  needFile(entry!, path);
  if (entry!.stats.size > MAX_FILE_BYTES) return { bytes: undefined };
  return withHeldFile(entry!, path, async (file) => ({ bytes: await readWhole(file, MAX_FILE_BYTES, path) }));
}

function diffOf(before: Before | undefined, after: Buffer, path: string): Diff | string {
  if (before && !before.bytes) return "the file was too big to compare";
  if ([before?.bytes, after].some((bytes) => bytes && binaryProblem(bytes))) return "it is not text";
  const from = before?.bytes && decodeText(before.bytes).text;
  return toDiff(from, decodeText(after).text, path) ?? "it is too long to show what changed";
}

const DONE = { created: "Created", modified: "Modified", unchanged: "Did not change" } as const;

function toResult(path: string, action: keyof typeof DONE, bytes: Buffer, diff: Diff | string) {
  const shown = typeof diff === "string" ? undefined : diff;
  const counts = shown && action !== "unchanged" ? `, +${shown.added} -${shown.removed} lines` : "";
  const note = typeof diff === "string" && action !== "unchanged" ? `; no diff: ${diff}` : "";
  return {
    content: [
      { type: "text", text: `${DONE[action]} ${path} (${bytes.length} bytes${counts}${note})` },
      ...(shown && shown.text !== "" ? [{ type: "text", text: shown.text }] : []),
    ],
    structured: {
      path,
      action,
      bytes: bytes.length,
      ...(shown ? { added: shown.added, removed: shown.removed, diff: shown.text } : {}),
    },
    meta: { kind: "diff" },
  };
}
