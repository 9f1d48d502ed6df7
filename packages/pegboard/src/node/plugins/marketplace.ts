import { PegboardError } from "../../core/error.ts";
import { nearest } from "../../core/nearest.ts";
import { isObject, parseLooseJson } from "../../plugins/json-file.ts";
import { type MarketSource, toMarketSource } from "./market-source.ts";
import { openPluginFolder } from "./plugin-folder.ts";

/** A list of plugins that somebody offers. */
export interface Marketplace {
  readonly name: string;
  readonly plugins: readonly MarketPlugin[];
  /** Old names of plugins, and what they are called now. */
  readonly renames: Readonly<Record<string, string>>;
}

/** One plugin of a marketplace. */
export interface MarketPlugin {
  readonly name: string;
  readonly description?: string;
  readonly source: MarketSource;
  /** `false`: the entry says what the plugin is, and not a manifest of its own. */
  readonly strict: boolean;
  /** The entry as it is written. */
  readonly entry: Readonly<Record<string, unknown>>;
}

/** Where marketplaces are listed: by Claude Code, and by Codex. */
const FILES: readonly string[] = [".claude-plugin/marketplace.json", ".agents/plugins/marketplace.json"];

/**
 * Reads the marketplace in a folder; undefined when it is none. An entry that cannot be used hurts no other. Rejects with
 * `invalid_config` for a list that cannot be read.
 */
export async function readMarketplace(root: string): Promise<Marketplace | undefined> {
  const folder = openPluginFolder(root);
  for (const path of FILES) {
    const text = await folder.read(path);
    if (text === undefined) continue;
    const { value, diagnostics } = parseLooseJson(text, folder.absolute(path));
    if (value && Array.isArray(value["plugins"])) return toMarketplace(value);
    const why = diagnostics[0]?.message ?? "plugins must be a list";
    throw new PegboardError("invalid_config", `${folder.absolute(path)} is no marketplace: ${why}`);
  }
  return undefined;
}

function toMarketplace(value: Readonly<Record<string, unknown>>): Marketplace {
  const { name, metadata, plugins, renames } = value;
  const base = isObject(metadata) && typeof metadata["pluginRoot"] === "string" ? metadata["pluginRoot"] : "";
  const known = Object.entries(isObject(renames) ? renames : {}).filter(([, now]) => typeof now === "string");
  return {
    name: typeof name === "string" ? name : "unnamed",
    plugins: (plugins as readonly unknown[]).flatMap((entry) => toMarketPlugin(entry, base) ?? []),
    renames: Object.fromEntries(known) as Record<string, string>,
  };
}

function toMarketPlugin(entry: unknown, base: string): MarketPlugin | undefined {
  if (!isObject(entry) || typeof entry["name"] !== "string" || entry["name"] === "") return undefined;
  const { name, description, source, strict, policy } = entry as { readonly name: string } & Record<string, unknown>;
  const isWithheld = isObject(policy) && policy["installation"] === "NOT_AVAILABLE";
  return {
    name,
    ...(typeof description === "string" && { description }),
    source: isWithheld ? { problem: "it is listed as not available" } : toMarketSource(source, base),
    strict: strict !== false,
    entry,
  };
}

/** The plugin of a name. Throws `not_found`, with what it is called now or what there is. */
export function findInMarket({ name: market, plugins, renames }: Marketplace, name: string): MarketPlugin {
  const found = plugins.find((one) => one.name === name);
  if (found) return found;
  const now = Object.hasOwn(renames, name)
    ? renames[name]
    : nearest(
        name,
        plugins.map((one) => one.name),
      );
  const hint =
    now === undefined ? "" : Object.hasOwn(renames, name) ? `: it is called "${now}" now` : `, did you mean "${now}"?`;
  const all = plugins.map((one) => one.name).join(", ") || "none";
  throw new PegboardError("not_found", `The marketplace "${market}" has no plugin "${name}"${hint}. There are: ${all}`);
}

/** The error of a source that is a marketplace: it lists what there is, and says how to add one of it. */
export function chooseFrom({ name, plugins }: Marketplace, source: string): PegboardError {
  const lines = plugins.map(({ name: one, description, source: from }) => {
    const note = "problem" in from ? `(cannot be added: ${from.problem})` : (description ?? "");
    return `  ${one}  ${note}`.trimEnd();
  });
  const [first] = plugins.filter(({ source: from }) => !("problem" in from));
  return new PegboardError(
    "invalid_config",
    [
      `This is the marketplace "${name}", with ${plugins.length} plugins; nothing was changed:`,
      ...lines,
      `Add one of them with: pegboard plugin add ${first?.name ?? "name"}@${source}`,
    ].join("\n"),
    { details: { marketplace: name, plugins: plugins.map((one) => one.name) } },
  );
}
