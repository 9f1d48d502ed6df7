import { statSync } from "node:fs";
import { basename, isAbsolute, relative, resolve } from "node:path";
import { PegboardError } from "../../core/error.ts";

/** Where a plugin is fetched from. */
export type PluginSource =
  | FetchedSource
  /** One plugin of a marketplace. */
  | { readonly kind: "market"; readonly plugin: string; readonly market: FetchedSource };

/** What is fetched as a whole. */
export type FetchedSource =
  | { readonly kind: "folder" | "archive"; readonly path: string }
  | { readonly kind: "npm"; readonly name: string; readonly range?: string }
  | { readonly kind: "git"; readonly url: string; readonly ref?: string };

const ARCHIVE = /\.(?:tgz|tar\.gz|zip)$/i;
// Neither an option, nor an address, nor a path: npm takes all of these where a name stands.
const PACKAGE =
  /^((?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*)(?:@([A-Za-z0-9^~<>=*][A-Za-z0-9.^~<>=*+-]*))?$/;
// Git also knows addresses that run programs: only these do not.
const ADDRESS = /^(?:https?:\/\/|ssh:\/\/|git:\/\/|file:\/\/\/|[A-Za-z0-9_.-]+@[A-Za-z0-9.-]+:(?!\/\/))[^\s-][^\s]*$/;
const REF = /^[A-Za-z0-9_][A-Za-z0-9_./+-]*$/;

const IN_MARKET = /^([A-Za-z0-9][A-Za-z0-9._-]*)@(.+)$/;

/**
 * Reads what a person or a lock file names as a plugin: a folder, an archive, `npm:name[@range]`, `git:address[#ref]`, or
 * `plugin@` one of these that is a marketplace. Paths are those of `from`. Throws `invalid_config` for anything else, and for
 * a path where nothing is.
 */
export function parsePluginSource(text: string, from: string): PluginSource {
  const [, plugin, market] = IN_MARKET.exec(text) ?? [];
  if (plugin === undefined || statSync(resolve(from, text), { throwIfNoEntry: false })) return parseWhole(text, from);
  return { kind: "market", plugin, market: parseWhole(market!, from) };
}

/** Reads what is fetched as a whole, and no plugin of a marketplace. Throws as `parsePluginSource` does. */
export function parseWhole(text: string, from: string): FetchedSource {
  if (text.startsWith("npm:")) return parseNpm(text.slice("npm:".length));
  if (text.startsWith("git:")) return parseGit(text.slice("git:".length));
  const path = resolve(from, text);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return { kind: "folder", path };
  if (stats?.isFile() && ARCHIVE.test(path)) return { kind: "archive", path };
  const why = stats ? "it is neither a folder nor a .tgz, .tar.gz or .zip file" : "nothing is there";
  throw wrong(text, `${why} (${path}). A package is npm:name, a repository git:https://…`);
}

function parseNpm(text: string): FetchedSource {
  const [, name, range] = PACKAGE.exec(text) ?? [];
  if (name === undefined) throw wrong(`npm:${text}`, "a package is npm:name, npm:@scope/name, or npm:name@version");
  return { kind: "npm", name, ...(range !== undefined && { range }) };
}

function parseGit(text: string): FetchedSource {
  const [url = "", ref, ...rest] = text.split("#");
  if (!ADDRESS.test(url))
    throw wrong(`git:${text}`, "a repository is git:https://…, git:ssh://…, git:user@host:path or git:file:///…");
  if (ref !== undefined && (rest.length > 0 || !REF.test(ref)))
    throw wrong(`git:${text}`, "behind the # stands a branch, a tag or a commit");
  return { kind: "git", url, ...(ref !== undefined && { ref }) };
}

function wrong(text: string, why: string): PegboardError {
  return new PegboardError("invalid_config", `"${text.slice(0, 200)}" is no plugin that can be fetched: ${why}`);
}

/** The text that names a source. A path inside of `base` is relative, so that it holds wherever that is copied to. */
export function toSourceText(source: PluginSource, base: string): string {
  if (source.kind === "market") return `${source.plugin}@${toSourceText(source.market, base)}`;
  if (source.kind === "npm") return `npm:${source.name}${source.range === undefined ? "" : `@${source.range}`}`;
  if (source.kind === "git") return `git:${source.url}${source.ref === undefined ? "" : `#${source.ref}`}`;
  const inside = relative(base, source.path);
  const isInside = inside !== "" && !isAbsolute(inside) && inside.split(/[/\\]/)[0] !== "..";
  return isInside ? `./${inside.replaceAll("\\", "/")}` : source.path;
}

/** What the folder of a plugin is called that does not say its name itself. */
export function nameOfSource(source: PluginSource): string {
  if (source.kind === "market") return source.plugin;
  if (source.kind === "npm") return source.name.replace(/^@[^/]+\//, "");
  if (source.kind === "git")
    return basename(source.url.replace(/[/:]+$/, "").replaceAll(":", "/")).replace(/\.git$/, "");
  return basename(source.path).replace(ARCHIVE, "");
}
