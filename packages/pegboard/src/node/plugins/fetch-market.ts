import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { copyFolder } from "./copy-folder.ts";
import { type FetchOptions, fetchPlugin } from "./fetch-plugin.ts";
import { CLAUDE_MANIFEST, toPluginName } from "./foreign-plugin.ts";
import { findInMarket, type MarketPlugin, readMarketplace } from "./marketplace.ts";
import { type FetchedSource, parseWhole, type PluginSource } from "./plugin-source.ts";
import { readWell } from "./read-well.ts";

/**
 * Fetches one plugin of a marketplace into a folder that is not there yet; nothing of either runs. Resolves to exactly what
 * was fetched, where that can differ. Rejects when the marketplace does not have it, or does not describe it as it is.
 */
export async function fetchFromMarket(
  { plugin: name, market }: PluginSource & { readonly kind: "market" },
  folder: string,
  options: FetchOptions,
): Promise<string | undefined> {
  const fetched = join(options.scratch, "market");
  const inner = { ...options, scratch: join(options.scratch, "fetch") };
  const resolved = market.kind === "folder" ? undefined : await fetchPlugin(market, fetched, inner);
  const root = market.kind === "folder" ? market.path : fetched;
  const marketplace = await readMarketplace(root);
  if (!marketplace) throw new PegboardError("invalid_config", `There is no marketplace to take "${name}" from`);
  const plugin = findInMarket(marketplace, name);
  const { source } = plugin;
  if ("problem" in source)
    throw new PegboardError("invalid_config", `"${name}" of "${marketplace.name}" cannot be added: ${source.problem}`);
  if (source.kind === "inside") copyInside(root, source.path, folder);
  const exact = source.kind === "elsewhere" ? await fetchElsewhere(source, folder, { ...options, market }) : undefined;
  await settleManifest(plugin, folder);
  return exact ?? (resolved && `${name}@${resolved}`);
}

/** Nothing leads out of a marketplace, links included. */
function copyInside(root: string, path: string, folder: string): void {
  const from = join(root, path);
  if (!existsSync(from)) throw new PegboardError("invalid_config", `The marketplace has no folder ${path}`);
  const [real, top] = [realpathSync(from), realpathSync(root)];
  if (real !== top && !real.startsWith(top + sep))
    throw new PegboardError("invalid_config", `The folder ${path} leads out of the marketplace`);
  copyFolder(real, folder);
}

async function fetchElsewhere(
  { source: text, path }: { readonly source: string; readonly path?: string },
  folder: string,
  { scratch, signal, market }: FetchOptions & { readonly market: FetchedSource },
): Promise<string | undefined> {
  const isLocal = market.kind === "folder" || (market.kind === "git" && market.url.startsWith("file:"));
  // Somebody else's list must not name what lies on this machine.
  if (text.startsWith("git:file:") && !isLocal)
    throw new PegboardError("invalid_config", `The marketplace is not from here, and names something that is: ${text}`);
  const source = parseWhole(text, market.kind === "folder" ? market.path : scratch);
  const inner = { scratch: join(scratch, "elsewhere"), signal };
  if (path === undefined) return fetchPlugin(source, folder, inner);
  const whole = join(scratch, "repository");
  const resolved = await fetchPlugin(source, whole, inner);
  copyInside(whole, path, folder);
  return resolved;
}

/** Fields of an entry that a manifest has too. */
const MANIFEST = ["name", "version", "description", "author", "homepage", "repository", "license", "keywords"];
const PARTS = ["commands", "agents", "skills", "mcpServers", "hooks", "userConfig"];

/** Makes the entry the manifest where it says that it is; else the plugin must have one, of the same name. */
async function settleManifest({ name, strict, entry }: MarketPlugin, folder: string): Promise<void> {
  const file = join(folder, CLAUDE_MANIFEST);
  if (!strict && !existsSync(file)) {
    const fields = [...MANIFEST, ...PARTS].filter((field) => entry[field] !== undefined);
    const manifest = Object.fromEntries(fields.map((field) => [field, entry[field]]));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
    return;
  }
  const parts = PARTS.filter((part) => entry[part] !== undefined);
  if (!strict && parts.length > 0)
    throw new PegboardError(
      "invalid_config",
      `"${name}" has a manifest, and its marketplace says too what it brings (${parts.join(", ")}; strict: false)`,
    );
  const { name: own } = await readWell(folder);
  if (own !== toPluginName(name))
    throw new PegboardError("invalid_config", `The plugin that the marketplace calls "${name}" calls itself "${own}"`);
}
