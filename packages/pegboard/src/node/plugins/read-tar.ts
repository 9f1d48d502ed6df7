import { gunzipSync } from "node:zlib";
import { messageOf } from "../../core/error.ts";
import {
  type ArchiveEntry,
  type ArchiveLimits,
  badArchive,
  badEntry,
  mostBytes,
  toEntryPath,
} from "./archive-entry.ts";

const BLOCK = 512;

/** Reads a `.tgz` in memory. Links and devices are refused. Throws `invalid_config` for what is not taken as a whole. */
export function readTarball(archive: Uint8Array, limits: ArchiveLimits): readonly ArchiveEntry[] {
  const tar = unzip(archive, mostBytes(archive.length, limits) + limits.entries * 2 * BLOCK);
  const entries: ArchiveEntry[] = [];
  let long: string | undefined;
  let total = 0;
  for (let offset = 0; offset + BLOCK <= tar.length;) {
    const header = tar.subarray(offset, offset + BLOCK);
    if (header.every((byte) => byte === 0)) break;
    const { name, size, type, mode } = parseHeader(header);
    const start = offset + BLOCK;
    if (start + size > tar.length) throw badEntry(name, "it is cut off");
    const bytes = tar.subarray(start, start + size);
    offset = start + Math.ceil(size / BLOCK) * BLOCK;
    if (type === "L") long = textOf(bytes);
    else if (type === "x") long = paxPath(bytes) ?? long;
    else if (type !== "g") {
      const written = long ?? name;
      long = undefined;
      const path = toEntryPath(written);
      if (type === "1" || type === "2") throw badEntry(written, "it is a link");
      if (type !== "0" && type !== "5") throw badEntry(written, "it is neither a file nor a folder");
      if (type === "5") continue;
      if (path === "") throw badEntry(written, "it has no name");
      if (size > limits.entry) throw badEntry(written, `it has more than ${limits.entry} bytes`);
      if ((total += size) > mostBytes(archive.length, limits)) throw badArchive("its files are too large together");
      if (entries.push({ path, bytes, executable: (mode & 0o111) !== 0 }) > limits.entries)
        throw badArchive(`it holds more than ${limits.entries} files`);
    }
  }
  return entries;
}

function unzip(archive: Uint8Array, most: number): Buffer {
  try {
    return gunzipSync(archive, { maxOutputLength: most });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE")
      throw badArchive(`unpacked it would have more than ${most} bytes`);
    throw badArchive(`it cannot be read: ${messageOf(error)}`);
  }
}

function parseHeader(header: Buffer): { name: string; size: number; type: string; mode: number } {
  const sum = header.reduce((so, byte, index) => so + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  if (octal(header, 148, 8) !== sum) throw badArchive("it is damaged, or no tar archive");
  const prefix = textOf(header.subarray(257, 262)) === "ustar" ? textOf(header.subarray(345, 500)) : "";
  const name = textOf(header.subarray(0, 100));
  const type = String.fromCharCode(header[156]! || 0x30);
  return {
    name: prefix === "" ? name : `${prefix}/${name}`,
    size: octal(header, 124, 12),
    type: type === "7" ? "0" : type,
    mode: octal(header, 100, 8),
  };
}

function octal(header: Buffer, start: number, length: number): number {
  const text = header.toString("latin1", start, start + length).replaceAll(/[\0 ]+/g, "");
  if (!/^[0-7]*$/.test(text)) throw badArchive("it is damaged, or larger than a plugin can be");
  return text === "" ? 0 : Number.parseInt(text, 8);
}

function textOf(bytes: Uint8Array): string {
  const end = bytes.indexOf(0);
  return Buffer.from(bytes.subarray(0, end < 0 ? bytes.length : end)).toString("utf8");
}

/** The path that an extended header gives: records of `length key=value` and a line end. */
function paxPath(bytes: Uint8Array): string | undefined {
  let path: string | undefined;
  for (let at = 0; at < bytes.length;) {
    const record = /^(\d{1,8}) /.exec(Buffer.from(bytes.subarray(at, at + 10)).toString("latin1"));
    const length = Number(record?.[1] ?? 0);
    if (!record || length <= record[0].length) throw badArchive("it has a header that cannot be read");
    const [key, ...value] = Buffer.from(bytes.subarray(at + record[0].length, at + length - 1))
      .toString("utf8")
      .split("=");
    if (key === "path") path = value.join("=");
    if (key === "size") throw badArchive("it holds a file that is larger than a plugin can be");
    at += length;
  }
  return path;
}
