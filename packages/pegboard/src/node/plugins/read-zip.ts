import { crc32, inflateRawSync } from "node:zlib";
import { messageOf } from "../../core/error.ts";
import {
  type ArchiveEntry,
  type ArchiveLimits,
  badArchive,
  badEntry,
  mostBytes,
  toEntryPath,
} from "./archive-entry.ts";

const END = 0x06054b50;
const CENTRAL = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const MAX_COMMENT = 0xffff;
const UNIX = 3;

/** Reads a `.zip` in memory. Links are refused. Throws `invalid_config` for what is not taken as a whole. */
export function readZip(archive: Buffer, limits: ArchiveLimits): readonly ArchiveEntry[] {
  const end = findEnd(archive);
  const count = archive.readUInt16LE(end + 10);
  if (count > limits.entries) throw badArchive(`it holds more than ${limits.entries} files`);
  const most = mostBytes(archive.length, limits);
  const entries: ArchiveEntry[] = [];
  let total = 0;
  let at = archive.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    const entry = readCentral(archive, at);
    at = entry.next;
    const path = toEntryPath(entry.name);
    if (entry.isLink) throw badEntry(entry.name, "it is a link");
    if (entry.name.endsWith("/")) continue;
    if (path === "") throw badEntry(entry.name, "it has no name");
    const bytes = unpack(archive, entry, Math.min(limits.entry, most - total));
    total += bytes.length;
    entries.push({ path, bytes, executable: entry.executable });
  }
  return entries;
}

interface Central {
  readonly name: string;
  readonly method: number;
  readonly checksum: number;
  readonly packed: number;
  readonly offset: number;
  readonly isLink: boolean;
  readonly executable: boolean;
  readonly next: number;
}

function findEnd(archive: Buffer): number {
  for (let at = archive.length - END_BYTES; at >= Math.max(0, archive.length - END_BYTES - MAX_COMMENT); at--)
    if (archive.readUInt32LE(at) === END) return at;
  throw badArchive("it is damaged, or no zip archive");
}

function readCentral(archive: Buffer, at: number): Central {
  if (at + 46 > archive.length || archive.readUInt32LE(at) !== CENTRAL)
    throw badArchive("its list of files is damaged");
  const [name, extra, comment] = [28, 30, 32].map((field) => archive.readUInt16LE(at + field)) as [
    number,
    number,
    number,
  ];
  const isUnix = archive.readUInt8(at + 5) === UNIX;
  const mode = isUnix ? archive.readUInt32LE(at + 38) >>> 16 : 0;
  return {
    name: archive.toString("utf8", at + 46, at + 46 + name),
    method: archive.readUInt16LE(at + 10),
    checksum: archive.readUInt32LE(at + 16),
    packed: archive.readUInt32LE(at + 20),
    offset: archive.readUInt32LE(at + 42),
    isLink: (mode & 0o170000) === 0o120000,
    executable: (mode & 0o111) !== 0,
    next: at + 46 + name + extra + comment,
  };
}

/** What the list says about sizes is a claim: what counts is what comes out. */
function unpack(archive: Buffer, { name, method, checksum, packed, offset }: Central, most: number): Uint8Array {
  if (offset + 30 > archive.length || archive.readUInt32LE(offset) !== LOCAL) throw badEntry(name, "it is damaged");
  const start = offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
  const bytes = archive.subarray(start, start + packed);
  if (bytes.length < packed) throw badEntry(name, "it is cut off");
  if (method !== 0 && method !== 8) throw badEntry(name, "it is packed or encrypted in a way that is not known here");
  const whole = method === 0 ? bytes : inflate(bytes, name, most);
  if (whole.length > most) throw badEntry(name, TOO_LARGE);
  if (crc32(whole) !== checksum) throw badEntry(name, "it is damaged");
  return whole;
}

const TOO_LARGE = "it is too large, alone or together with the others";

function inflate(bytes: Uint8Array, name: string, most: number): Uint8Array {
  try {
    return inflateRawSync(bytes, { maxOutputLength: Math.max(1, most) });
  } catch (error) {
    const isLarge = (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw badEntry(name, isLarge ? TOO_LARGE : messageOf(error));
  }
}
