import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { BlobStore } from "../core/blob.ts";
import { messageOf, PegboardError } from "../core/error.ts";
import { makeFolder } from "./durable-folder.ts";

const CHUNK = 512 * 1024;

/** Texts as files, and what their keeper needs to forget them. */
export interface BlobFiles extends BlobStore {
  /** The sessions of which texts are kept and none was written since. */
  untouched(since: number): Promise<readonly string[]>;
  /** Forgets the texts of a session. */
  forget(session: string): Promise<void>;
}

/** Texts as files in a folder, one folder a session. UTF-16, so that an offset in characters is one in the file. */
export function blobFiles(folder: string): BlobFiles {
  return {
    async write(session, call, text) {
      const place = placeOf(folder, session, call);
      try {
        makeFolder(join(folder, session));
        const sha256 = await writeDurably(place, text);
        return { characters: text.length, sha256 };
      } catch (error) {
        throw new PegboardError(
          "unavailable",
          `The whole result of call ${call} cannot be kept in ${place}: ${messageOf(error)}`,
          { cause: error, retryable: true },
        );
      }
    },
    async read(session, call, offset, length) {
      let file: FileHandle;
      try {
        file = await open(placeOf(folder, session, call), constants.O_RDONLY);
      } catch {
        return undefined;
      }
      try {
        const characters = Math.floor((await file.stat()).size / 2);
        const bytes = Buffer.alloc(Math.max(0, Math.min(length, characters - offset)) * 2);
        await file.read(bytes, 0, bytes.length, offset * 2);
        return { text: bytes.toString("utf16le"), characters };
      } finally {
        await file.close();
      }
    },
    async untouched(since) {
      const sessions: string[] = [];
      for (const name of await readdir(folder).catch(() => [])) {
        const { mtimeMs } = (await stat(join(folder, name)).catch(() => undefined)) ?? { mtimeMs: Infinity };
        if (mtimeMs < since) sessions.push(name);
      }
      return sessions;
    },
    async forget(session) {
      await rm(join(folder, checked(session)), { recursive: true, force: true });
    },
  };
}

/** The digest of a kept text as it is on disk; undefined when there is none. */
export async function digestBlob(folder: string, session: string, call: string): Promise<string | undefined> {
  const place = placeOf(folder, session, call);
  if (!(await stat(place).catch(() => undefined))) return undefined;
  const hash = createHash("sha256");
  const file = await open(place, constants.O_RDONLY);
  try {
    for await (const chunk of file.createReadStream({ autoClose: false })) hash.update(chunk as Buffer);
  } finally {
    await file.close();
  }
  return hash.digest("hex");
}

// Beside its place first: whoever reads finds the whole text or none.
async function writeDurably(place: string, text: string): Promise<string> {
  const draft = `${place}.${process.pid}.tmp`;
  const hash = createHash("sha256");
  const file = await open(draft, "w", 0o600);
  try {
    for (let at = 0; at < text.length; at += CHUNK) {
      const bytes = Buffer.from(text.slice(at, at + CHUNK), "utf16le");
      hash.update(bytes);
      await file.writeFile(bytes);
    }
    await file.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
  await rename(draft, place);
  await syncFolder(join(place, ".."));
  return hash.digest("hex");
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, constants.O_RDONLY).catch(() => undefined);
  // Some systems cannot sync a folder; there the rename is as durable as they make it.
  await handle?.sync().catch(() => {});
  await handle?.close();
}

function placeOf(folder: string, session: string, call: string): string {
  return join(folder, checked(session), `${checked(call)}.txt`);
}

// Both are ids of ours or were checked on the way in; a path is built of them, so they are checked again.
function checked(id: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id))
    throw new PegboardError("invalid_input", `The id ${JSON.stringify(id.slice(0, 80))} cannot name a file`);
  return id;
}
