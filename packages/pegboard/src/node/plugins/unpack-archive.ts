import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ARCHIVE_LIMITS, type ArchiveEntry, type ArchiveLimits, badArchive, badEntry } from "./archive-entry.ts";
import { LEFT_OUT } from "./copy-folder.ts";
import { readTarball } from "./read-tar.ts";
import { readZip } from "./read-zip.ts";

/**
 * Unpacks a `.tgz` or `.zip` into a folder that is not there yet. When all files lie in one folder, that folder is left
 * out, and so is what is installed anew. Everything is checked before anything is written. Throws `invalid_config`.
 */
export function unpackArchive(file: string, folder: string, limits: ArchiveLimits = ARCHIVE_LIMITS): void {
  if (statSync(file).size > limits.total) throw badArchive(`it has more than ${limits.total} bytes`);
  const bytes = readFileSync(file);
  if (bytes.length < 4) throw badArchive("it is empty");
  const entries = withoutCommonFolder(
    bytes.readUInt16LE(0) === ZIP ? readZip(bytes, limits) : readTarball(bytes, limits),
  );
  refuseTwins(entries);
  const kept = entries.filter(({ path }) => !path.split("/").some((name) => LEFT_OUT.includes(name)));
  for (const { path, bytes: content, executable } of kept) {
    const target = join(folder, path);
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, content, { mode: executable ? 0o755 : 0o644, flag: "wx" });
  }
}

const ZIP = 0x4b50;

function withoutCommonFolder(entries: readonly ArchiveEntry[]): readonly ArchiveEntry[] {
  if (entries.length === 0) throw badArchive("there is no file in it");
  const [first] = entries[0]!.path.split("/", 1);
  const isCommon = entries.every(({ path }) => path.startsWith(`${first}/`));
  return isCommon ? entries.map((entry) => ({ ...entry, path: entry.path.slice(first!.length + 1) })) : entries;
}

/** Two files of one path, as far as some file system tells, or a file where another one needs a folder. */
function refuseTwins(entries: readonly ArchiveEntry[]): void {
  const plain = (path: string) => path.normalize("NFC").toLowerCase();
  const paths = new Set<string>();
  const folders = new Set<string>();
  for (const { path } of entries) {
    if (paths.has(plain(path))) throw badEntry(path, "it is there twice");
    paths.add(plain(path));
    const names = plain(path).split("/");
    for (let length = 1; length < names.length; length++) folders.add(names.slice(0, length).join("/"));
  }
  const clash = entries.find(({ path }) => folders.has(plain(path)));
  if (clash) throw badEntry(clash.path, "it is a file and a folder");
}
