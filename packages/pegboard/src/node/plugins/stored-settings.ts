import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createHash } from "node:crypto";
import { basename, join } from "node:path";
import type { Json } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { compileSchema, describeProblems } from "../../core/schema.ts";
import { STORED_SETTINGS } from "../places.ts";
import type { UserSecrets } from "../secrets.ts";
import type { FoundPlugin } from "./discover.ts";
import { coerceSettings, toEnvironment } from "./settings.ts";

type Settings = Readonly<Record<string, Json>>;

/** The settings that a person keeps for a plugin. They belong to its folder: another one of the same name gets none. */
export function readStoredSettings(home: string, { folder }: Pick<FoundPlugin, "folder">): Settings {
  return readAll(home)[folder.root] ?? {};
}

/**
 * Keeps settings for a plugin, besides those that are kept already; null takes one away. What its schema calls secret goes
 * to the person's encrypted secrets, and only a reference stays here. Rejects with `invalid_config` for a setting that is
 * unknown or wrong, and then keeps none of them.
 */
export async function storeSettings(
  home: string,
  plugin: Pick<FoundPlugin, "folder" | "loaded" | "settings">,
  settings: Settings,
  secrets: Pick<UserSecrets, "set" | "remove">,
): Promise<void> {
  const { name, settingsSchema = {} } = plugin.loaded?.plugin ?? { name: "" };
  const properties = Object(settingsSchema["properties"]) as Record<string, { readonly writeOnly?: boolean }>;
  const kept: Record<string, Json> = { ...readStoredSettings(home, plugin) };
  const unknown = Object.keys(settings).find((key) => !Object.hasOwn(properties, key) && settings[key] !== null);
  if (unknown !== undefined)
    throw new PegboardError(
      "invalid_config",
      `Plugin "${name}" has no setting "${unknown}"; there are: ${Object.keys(properties).join(", ") || "none"}`,
    );
  await checkGiven(name, settings, plugin);
  for (const [key, value] of Object.entries(settings)) {
    const secret = secretName(name, key, plugin.folder.root);
    if (value === null) {
      if (kept[key] === `secret://${secret}`) await secrets.remove(secret);
      delete kept[key];
    } else if (properties[key]?.writeOnly && !isReference(value)) {
      await secrets.set(secret, typeof value === "string" ? value : JSON.stringify(value));
      kept[key] = `secret://${secret}`;
    } else kept[key] = value;
  }
  writeAll(home, { ...readAll(home), [plugin.folder.root]: kept });
}

/** Throws when what is given could not be used. What else the plugin needs may come later. */
async function checkGiven(
  name: string,
  settings: Settings,
  { folder, loaded, settings: written }: Pick<FoundPlugin, "folder" | "loaded" | "settings">,
): Promise<void> {
  const given = Object.fromEntries(
    Object.entries(settings).filter(([, value]) => value !== null && !isReference(value)),
  );
  const { required: _, ...schema } = loaded?.plugin.settingsSchema ?? {};
  const checked = await compileSchema(schema, { foreign: true }).check(
    written ? coerceSettings(given, written) : given,
  );
  if (!checked.ok)
    throw new PegboardError(
      "invalid_config",
      `These settings of plugin "${name}" are not kept:\n${describeProblems(checked.problems)}`,
    );
  if (written) toEnvironment(given, written, { folder: folder.root, plugin: name });
}

function isReference(value: Json): boolean {
  return typeof value === "string" && value.startsWith("secret://");
}

/** Forgets what is kept for a plugin that is gone, secrets too: another one in its place must not get them. */
export async function forgetSettings(
  home: string,
  folder: string,
  secrets: Pick<UserSecrets, "remove">,
): Promise<void> {
  const { [folder]: kept, ...others } = readAll(home);
  if (!kept) return;
  for (const [key, value] of Object.entries(kept)) {
    const secret = secretName(basename(folder), key, folder);
    if (value === `secret://${secret}`) await secrets.remove(secret);
  }
  writeAll(home, others);
}

/** One for each folder: names of secrets are short, and those of plugins need not be. */
function secretName(plugin: string, key: string, folder: string): string {
  const digest = createHash("sha256")
    .update(JSON.stringify([folder, key]))
    .digest("hex")
    .slice(0, 12);
  return `plugin.${plugin.slice(0, 20)}.${key.slice(0, 20)}.${digest}`;
}

function readAll(home: string): Readonly<Record<string, Settings>> {
  const file = join(home, STORED_SETTINGS);
  if (!existsSync(file)) return {};
  try {
    return Object(JSON.parse(readFileSync(file, "utf8"))) as Record<string, Settings>;
  } catch {
    throw new PegboardError(
      "invalid_config",
      `${file} is not JSON: mend it, or delete it and configure your plugins again`,
    );
  }
}

function writeAll(home: string, all: Readonly<Record<string, Settings>>): void {
  const file = join(home, STORED_SETTINGS);
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}.tmp`;
  writeFileSync(draft, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 });
  renameSync(draft, file);
}
