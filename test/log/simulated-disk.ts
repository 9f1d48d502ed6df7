import { join } from "node:path";
import type { Random } from "./random.ts";

/** What was done to a disk, by path from its root. A mark is no operation: it tells that something was acknowledged. */
export type DiskOperation =
  | { readonly kind: "make"; readonly path: string; readonly folder?: boolean }
  | { readonly kind: "write"; readonly path: string; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: "cut"; readonly path: string; readonly size: number }
  | { readonly kind: "sync"; readonly path: string }
  | { readonly kind: "rename"; readonly path: string; readonly to: string }
  | { readonly kind: "remove"; readonly path: string }
  | { readonly kind: "mark"; readonly text: string };

interface File {
  readonly kept: Content;
  changes: Change[];
}

type Change = { readonly offset: number; readonly bytes: Buffer } | { readonly size: number };

interface Folder {
  readonly kept: Map<string, Node>;
  readonly now: Map<string, Node>;
  changes: ((entries: Map<string, Node>) => void)[];
}

type Node = File | Folder;

const SECTOR = 512;

/**
 * A disk that promises as little as it may: what was written to a file and not synced is kept, lost or torn at the borders
 * of sectors, each write by itself; a name that was made, changed or removed and whose folder was not synced is kept or not,
 * those of one folder in order.
 */
export class SimulatedDisk {
  readonly #root: Folder = newFolder();

  apply(operation: DiskOperation): void {
    if (operation.kind === "mark") return;
    const { folder, name } = this.#locate(operation.path);
    switch (operation.kind) {
      case "make":
        if (!folder.now.has(name))
          change(folder, set(name, operation.folder ? newFolder() : { kept: new Content(), changes: [] }));
        return;
      case "rename":
        return change(folder, (entries) => {
          const node = entries.get(name);
          entries.delete(name);
          if (node) entries.set(this.#locate(operation.to).name, node);
        });
      case "remove":
        return change(folder, (entries) => void entries.delete(name));
      case "sync":
        return sync(operation.path === "" ? this.#root : folder.now.get(name)!);
      case "write":
        (folder.now.get(name) as File).changes.push({ offset: operation.offset, bytes: operation.bytes });
        return;
      case "cut":
        (folder.now.get(name) as File).changes.push({ size: operation.size });
    }
  }

  /** The files as a power cut at this moment may leave them, and whether that is less than was written. */
  crash(random: Random): { readonly files: ReadonlyMap<string, Buffer>; readonly damaged: boolean } {
    // Whole crashes where all or nothing is lost find what a mixture would not.
    const image: Image = {
      files: new Map(),
      fate: random.pick(["lost", "kept", "mixed", "mixed"]),
      random,
      damaged: false,
    };
    collect(this.#root, "", image);
    return image;
  }

  #locate(path: string): { folder: Folder; name: string } {
    const parts = path.split("/");
    const name = parts.pop()!;
    let folder = this.#root;
    for (const part of parts) folder = folder.now.get(part) as Folder;
    return { folder, name };
  }
}

function newFolder(): Folder {
  return { kept: new Map(), now: new Map(), changes: [] };
}

function set(name: string, node: Node): (entries: Map<string, Node>) => void {
  return (entries) => void entries.set(name, node);
}

function change(folder: Folder, apply: (entries: Map<string, Node>) => void): void {
  apply(folder.now);
  folder.changes.push(apply);
}

function sync(node: Node): void {
  if ("now" in node) for (const apply of node.changes) apply(node.kept);
  else for (const each of node.changes) node.kept.apply(each);
  node.changes = [];
}

interface Image {
  readonly files: Map<string, Buffer>;
  readonly fate: "lost" | "kept" | "mixed";
  readonly random: Random;
  damaged: boolean;
}

function collect(folder: Folder, path: string, image: Image): void {
  const { files, fate, random } = image;
  const entries = new Map(folder.kept);
  const count = folder.changes.length;
  const kept = fate === "lost" ? 0 : fate === "kept" ? count : random.between(0, count);
  if (kept < count) image.damaged = true;
  for (const apply of folder.changes.slice(0, kept)) apply(entries);
  for (const [name, node] of entries) {
    if ("now" in node) collect(node, join(path, name), image);
    else files.set(join(path, name), contentOf(node, image));
  }
}

function contentOf({ kept, changes }: File, image: Image): Buffer {
  const { fate, random } = image;
  if (changes.length === 0) return kept.toBuffer();
  const content = new Content(kept);
  for (const each of changes) {
    const own = fate === "mixed" ? random.pick(["lost", "kept", "torn"] as const) : fate;
    if (own !== "kept") image.damaged = true;
    if (own === "lost") continue;
    if (own === "kept" || "size" in each) content.apply(each);
    else content.writeTorn(each.offset, each.bytes, random);
  }
  return content.toBuffer();
}

/** Bytes that grow when they are written to; what lies between is zero. */
class Content {
  #bytes: Buffer;
  #size: number;

  constructor(from?: Content) {
    this.#bytes = from ? Buffer.from(from.toBuffer()) : Buffer.alloc(0);
    this.#size = this.#bytes.length;
  }

  apply(change: Change): void {
    if ("size" in change) this.#cut(change.size);
    else this.#write(change.offset, change.bytes);
  }

  /** Keeps some of the sectors that are written to. */
  writeTorn(offset: number, bytes: Buffer, random: Random): void {
    for (let at = offset; at < offset + bytes.length;) {
      const end = Math.min(offset + bytes.length, (Math.floor(at / SECTOR) + 1) * SECTOR);
      if (random.below(2) === 0) this.#write(at, bytes.subarray(at - offset, end - offset));
      at = end;
    }
  }

  toBuffer(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  #write(offset: number, bytes: Buffer): void {
    if (offset + bytes.length > this.#size) this.#cut(offset + bytes.length);
    bytes.copy(this.#bytes, offset);
  }

  #cut(size: number): void {
    if (size > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes], size * 2);
    if (size < this.#size) this.#bytes.fill(0, size, this.#size);
    this.#size = size;
  }
}
