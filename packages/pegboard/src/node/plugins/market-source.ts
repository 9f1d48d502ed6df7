import { isObject } from "../../plugins/json-file.ts";

/** Where a marketplace has a plugin: in its own folder, in a repository, or in a registry. */
export type MarketSource =
  | { readonly kind: "inside"; readonly path: string }
  /** Where plugins are fetched from, and the folder there. */
  | { readonly kind: "elsewhere"; readonly source: string; readonly path?: string }
  /** It cannot be fetched. */
  | { readonly problem: string };

/** Reads the source of an entry. A relative one is a path from `base`, in the folder of the marketplace. */
export function toMarketSource(written: unknown, base: string): MarketSource {
  if (typeof written === "string") return inside(joinPaths(base, written));
  if (!isObject(written)) return { problem: "it has no source" };
  const { source, path, url, repo, package: name, version, registry } = written;
  const at = (address: string) => `git:${address}${refOf(written)}`;
  switch (source) {
    case "local":
      return typeof path === "string" ? inside(path) : { problem: "its source has no path" };
    case "github":
      if (typeof repo !== "string" || !/^[\w.-]+\/[\w.-]+$/.test(repo)) return { problem: "its source has no repo" };
      return { kind: "elsewhere", source: at(`https://github.com/${repo}.git`) };
    case "url":
    case "git":
      return typeof url === "string" ? { kind: "elsewhere", source: at(url) } : { problem: "its source has no url" };
    case "git-subdir": {
      if (typeof url !== "string" || typeof path !== "string") return { problem: "its source has no url and path" };
      const folder = inside(path);
      const address = /^[\w.-]+\/[\w.-]+$/.test(url) ? `https://github.com/${url}.git` : url;
      return "problem" in folder
        ? folder
        : { kind: "elsewhere", source: at(address), path: (folder as { path: string }).path };
    }
    case "npm":
      if (registry !== undefined) return { problem: "it is in a registry of its own" };
      if (typeof name !== "string") return { problem: "its source has no package" };
      return { kind: "elsewhere", source: `npm:${name}${typeof version === "string" ? `@${version}` : ""}` };
    default:
      return { problem: `its source ${typeof source === "string" ? `"${source.slice(0, 40)}" ` : ""}is not known` };
  }
}

/** A commit tells more than a name for one. */
function refOf({ sha, ref }: Readonly<Record<string, unknown>>): string {
  const which = [sha, ref].find((one) => typeof one === "string" && one !== "");
  return which === undefined ? "" : `#${which as string}`;
}

function joinPaths(base: string, path: string): string {
  return base === "" || path.startsWith("./") || path.startsWith("/") ? path : `${base}/${path}`;
}

function inside(path: string): MarketSource {
  const names = path.split("/").filter((name) => name !== "" && name !== ".");
  if (path.startsWith("/") || path.includes("\\") || names.includes("..") || names.includes(".git"))
    return { problem: "its path leads out of the marketplace" };
  return { kind: "inside", path: names.join("/") };
}
