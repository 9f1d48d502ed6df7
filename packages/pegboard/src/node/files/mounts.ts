import { resolve } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { refuse } from "./file-error.ts";
import { parseFilePath, toFilePath } from "./file-path.ts";
import { isInside, joinBelow, type Place, type Root, toRoot } from "./root.ts";

/** Virtual path → real folder. A folder that is mounted at its own real path makes real paths work. */
export type MountOptions = Readonly<Record<string, string | { readonly path: string; readonly readonly?: boolean }>>;

/** Which part of the files a narrower scope keeps: these folders, by their virtual paths (absent is all), and how. */
export interface FilesystemScope {
  readonly paths?: readonly string[];
  readonly readonly?: boolean;
}

/** A real folder under a virtual path. */
export interface Mount {
  /** The names of the virtual path; none is `/`. */
  readonly at: readonly string[];
  readonly root: Root;
  readonly readonly: boolean;
  /** The folder that was mounted in the first place, of which a narrower scope has a part. */
  readonly whole: Root;
  /** Folders inside it that are mounted read-only elsewhere: they are so whichever way they are reached. */
  readonly locked: readonly Root[];
}

/** A place, and the mount that leads there. */
export interface MountedPlace extends Place {
  readonly mount: Mount;
}

/** The mounts of a configuration, whose paths are relative to `base`. Throws `invalid_config`. */
export function toMounts(options: MountOptions, readonly: boolean, base: string): readonly Mount[] {
  const mounts = Object.entries(options).map(([target, given]): Mount => {
    const { path, readonly: only = false } = typeof given === "string" ? { path: given } : given;
    const root = toRoot(resolve(base, path));
    return { at: parseTarget(target), root, readonly: readonly || only, whole: root, locked: [] };
  });
  const twin = mounts.find(({ at }, index) => mounts.some((other, place) => place < index && isSamePath(other.at, at)));
  if (twin) throw new PegboardError("invalid_config", `Two folders are mounted at ${toFilePath(twin.at)}`);
  if (mounts.length === 0)
    throw new PegboardError("invalid_config", "No folder is mounted: there must be at least one");
  const locked = mounts.filter((mount) => mount.readonly).map(({ root }) => root);
  return mounts.map((mount) => ({
    ...mount,
    locked: locked.filter(({ real }) => real !== mount.root.real && isInside(mount.root, real)),
  }));
}

/** Whether a real path may only be read when it is reached through this mount. */
export function isReadonly({ readonly, locked }: Mount, real: string): boolean {
  return readonly || locked.some((root) => isInside(root, real));
}

/** Where a path leads: the mount with the longest path wins. Throws `denied` when it is outside of all, `invalid_input`. */
export function locate(mounts: readonly Mount[], path: string): MountedPlace {
  const names = parseFilePath(path, start(mounts, path));
  const mount = mountOf(mounts, names);
  if (mount) return { mount, root: mount.root, names: names.slice(mount.at.length), path: toFilePath(names) };
  throw refuse("denied", path, `it is outside of what is mounted: ${describeMounts(mounts)}`);
}

/** The mount that a virtual path belongs to. */
function mountOf(mounts: readonly Mount[], names: readonly string[]): Mount | undefined {
  return mounts.filter(({ at }) => isBelow(names, at)).sort((a, b) => b.at.length - a.at.length)[0];
}

/** The mounts for a narrower scope. Throws `denied` when it asks for more than there is, `invalid_config` for no folder. */
export function narrowMounts(mounts: readonly Mount[], { paths, readonly }: FilesystemScope): readonly Mount[] {
  const kept = (paths?.map((path) => narrowTo(mounts, path)) ?? [mounts]).flat();
  const locked = kept.filter((mount) => mount.readonly);
  if (readonly === false && locked.length > 0)
    throw new PegboardError(
      "denied",
      `A narrower scope cannot write where only reading is allowed: ${describeMounts(locked)}`,
    );
  const unique = kept.filter(({ at }, index) => kept.findIndex((other) => isSamePath(other.at, at)) === index);
  return unique.map((mount) => ({ ...mount, readonly: mount.readonly || readonly === true }));
}

/** The mounts in a line, for messages. */
function describeMounts(mounts: readonly Mount[]): string {
  return mounts.map(({ at, readonly }) => `${toFilePath(at)}${readonly ? " (read-only)" : ""}`).join(", ") || "nothing";
}

function parseTarget(target: string): string[] {
  if (!target.startsWith("/"))
    throw new PegboardError("invalid_config", `A folder is mounted at a path that begins with /, not at "${target}"`);
  return parseFilePath(target);
}

// Where the root is mounted, relative paths start there; where only one folder is, there.
function start(mounts: readonly Mount[], path: string): readonly string[] {
  if (path.startsWith("/") || mounts.some(({ at }) => at.length === 0)) return [];
  if (mounts.length === 1) return mounts[0]!.at;
  throw refuse("denied", path, `a path must begin with one of ${describeMounts(mounts)}`);
}

/** What of the mounts is at or below a path: that part of the mount it belongs to, and the mounts within. */
function narrowTo(mounts: readonly Mount[], path: string): Mount[] {
  const { mount, names } = locate(mounts, path);
  const at = [...mount.at, ...names];
  const root = toRoot(joinBelow(mount.root, names), mount.root.exact);
  if (!isInside(mount.root, root.real))
    throw refuse("denied", path, "a link in it leads out of the folders that are mounted");
  return [{ ...mount, at, root }, ...mounts.filter((other) => other !== mount && isBelow(other.at, at))];
}

function isBelow(names: readonly string[], folder: readonly string[]): boolean {
  return folder.every((name, index) => names[index] === name);
}

function isSamePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && isBelow(a, b);
}
