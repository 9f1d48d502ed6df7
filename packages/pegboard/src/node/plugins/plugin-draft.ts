import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { nameProblem } from "../../core/name.ts";
import { contentDigest } from "./content-digest.ts";
import { toContents } from "./contents.ts";
import { diffContents, type PluginChange } from "./diff.ts";
import type { FoundPlugin } from "./discover.ts";
import { fetchFromMarket } from "./fetch-market.ts";
import { type FetchOptions, fetchPlugin } from "./fetch-plugin.ts";
import { installOwn } from "./install-own.ts";
import { changeLock, type LockedPlugin } from "./lock-file.ts";
import { chooseFrom, readMarketplace } from "./marketplace.ts";
import { nameOfSource, parsePluginSource, type PluginSource, toSourceText } from "./plugin-source.ts";
import { installedAs, lockedIn, notAdded, type PluginStore } from "./plugin-store.ts";
import { readWell } from "./read-well.ts";

/** A change that is ready and not made: nothing is another until it is committed. */
export interface PluginDraft {
  readonly name: string;
  /** What it would be. */
  readonly contents: LockedPlugin;
  /** What was read of it. */
  readonly found: FoundPlugin;
  /** What would be another than now. */
  readonly changes: readonly PluginChange[];
  /** Makes the change. When it rejects, everything is as it was. */
  commit(): Promise<void>;
  /** Drops what was prepared; does nothing after a commit. */
  discard(): void;
}

/** What a plugin is fetched with. */
export interface DraftOptions {
  /** What its folder is to be called; a plugin that says its own name must have this one. */
  readonly name?: string | undefined;
  /** Where paths are looked for; by default in the folder of the lock file. */
  readonly from?: string;
  readonly signal?: AbortSignal;
}

/** Fetches a plugin that is to be added. Rejects with `duplicate` when there is one of its name, or says what is wrong. */
export async function draftAdd(store: PluginStore, text: string, options: DraftOptions = {}): Promise<PluginDraft> {
  const source = parsePluginSource(text, options.from ?? store.base);
  return draft(store, source, options, (name) => {
    if (lstatSync(join(store.folder, name), { throwIfNoEntry: false }))
      throw new PegboardError(
        "duplicate",
        `There is a plugin "${name}" in ${store.folder} already; nothing was changed. Fetch it anew with: pegboard plugin update ${name}`,
      );
  });
}

/** Fetches a plugin anew from where it was added. Rejects with `not_found` when it was not added here. */
export async function draftUpdate(store: PluginStore, name: string, options: DraftOptions = {}): Promise<PluginDraft> {
  const { source } = needLocked(store, name);
  return draft(store, parsePluginSource(source, store.base), { ...options, name }, () => {});
}

/** Takes a plugin as its files are now. Rejects with `not_found` when it was not added here. */
export async function draftAccept(store: PluginStore, name: string): Promise<PluginDraft> {
  const before = needLocked(store, name);
  const found = await readWell(join(store.folder, name));
  const contents = { ...(await toContents(found)), source: before.source };
  const commit = () => changeLock(store.lock, name, contents);
  return { name, contents, found, changes: diffContents(before, contents), commit, discard() {} };
}

async function draft(
  store: PluginStore,
  source: PluginSource,
  { name: wanted, signal }: DraftOptions,
  check: (name: string) => void,
): Promise<PluginDraft> {
  mkdirSync(store.drafts, { recursive: true, mode: 0o700 });
  dropStale(store.drafts);
  const work = mkdtempSync(join(store.drafts, "draft-"));
  const discard = () => rmSync(work, { recursive: true, force: true });
  try {
    const fetched = join(work, toFolderName(wanted ?? nameOfSource(source)));
    const { resolved, name } = await fetchNamed(source, fetched, wanted, { scratch: join(work, ".fetch"), signal });
    check(name);
    const place = join(work, name);
    if (place !== fetched) renameSync(fetched, place);
    const first = await readWell(place);
    const found = (await installOwn(first, { scratch: join(work, ".install"), signal }))
      ? await readWell(place)
      : first;
    const read = await toContents(found);
    const contents: LockedPlugin = {
      ...read,
      source: toSourceText(source, store.base),
      ...(resolved !== undefined && { resolved }),
    };
    // A lock file alone is no plugin that somebody here has seen.
    const before = existsSync(join(store.folder, name)) ? lockedIn(store, name) : undefined;
    const changes = before?.digest === contents.digest ? [RESTORED] : diffContents(before, contents);
    return { name, contents, found, changes, commit: () => commit(store, { name, place, work, contents }), discard };
  } catch (error) {
    discard();
    throw error;
  }
}

/** Fetches a plugin and finds out what it is called. A marketplace rejects with what there is in it. */
async function fetchNamed(source: PluginSource, folder: string, wanted: string | undefined, options: FetchOptions) {
  try {
    const resolved = await (source.kind === "market"
      ? fetchFromMarket(source, folder, options)
      : fetchPlugin(source, folder, options));
    return { resolved, name: await nameOf(folder, wanted) };
  } catch (error) {
    const root = source.kind === "folder" ? source.path : folder;
    const market = source.kind === "market" || !existsSync(root) ? undefined : await readMarketplace(root);
    throw market ? chooseFrom(market, source.kind === "folder" ? source.path : toSourceText(source, "")) : error;
  }
}

interface Ready {
  readonly name: string;
  readonly place: string;
  readonly work: string;
  readonly contents: LockedPlugin;
}

async function commit(store: PluginStore, { name, place, work, contents }: Ready): Promise<void> {
  const target = join(store.folder, name);
  // Beside its later place first, so that it gets there in one step; a folder with a dot is no plugin.
  mkdirSync(store.folder, { recursive: true });
  const beside = mkdtempSync(join(store.folder, ".draft-"));
  const [fresh, old] = [join(beside, "new"), join(beside, "old")];
  const isThere = existsSync(target);
  try {
    move(place, fresh);
    if (contentDigest(fresh) !== contents.digest)
      throw new PegboardError(
        "denied",
        `What was shown of "${name}" has changed meanwhile; nothing was changed. Try again`,
      );
    if (isThere) renameSync(target, old);
    renameSync(fresh, target);
    await changeLock(store.lock, name, contents);
  } catch (error) {
    if (existsSync(old)) {
      rmSync(target, { recursive: true, force: true });
      renameSync(old, target);
    } else if (!isThere) rmSync(target, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(beside, { recursive: true, force: true });
    rmSync(work, { recursive: true, force: true });
  }
}

/** Data may be kept on another file system than the workspace. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  }
}

/** What was locked is fetched again, and only what was changed in the folder since goes. */
const RESTORED: PluginChange = { change: "changed", kind: "code", name: "files", note: "back to what is locked" };

const STALE_MS = 60 * 60_000;

/** What a process left behind that was killed. */
function dropStale(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > STALE_MS) rmSync(path, { recursive: true, force: true });
  }
}

function needLocked(store: PluginStore, name: string): LockedPlugin {
  const as = installedAs(store, name);
  const locked = lockedIn(store, name);
  if (locked && as !== "linked") return locked;
  if (as === undefined) throw notAdded(store, name);
  const why =
    as === "linked" ? "is linked: what is edited in its folder counts at once" : `was written in ${store.folder}`;
  throw new PegboardError("not_found", `The plugin "${name}" ${why}; there is nothing to update`);
}

async function nameOf(folder: string, wanted: string | undefined): Promise<string> {
  const { name } = await readWell(folder);
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw new PegboardError(
      "invalid_config",
      `The plugin cannot be called "${name}": its name ${problem}. Give it one with --name`,
    );
  if (wanted !== undefined && wanted !== name)
    throw new PegboardError(
      "invalid_config",
      `The plugin calls itself "${name}", not "${wanted}"; nothing was changed`,
    );
  return name;
}

function toFolderName(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_-]+/g, "-").replace(/^[^A-Za-z]+/, "") || "plugin";
}
