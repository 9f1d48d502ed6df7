import { text as readAll } from "node:stream/consumers";
import type { Json } from "@pegboard/contract";
import { PegboardError } from "../../core/error.ts";
import { storeSettings } from "../../node/plugins/stored-settings.ts";
import { userSecrets } from "../../node/secrets.ts";
import { askHidden } from "../ask-hidden.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { readInput } from "../input.ts";
import { type FoundListed, listPlugins } from "../plugin-listing.ts";
import { type SettingView, settingsSchemaOf, settingViews } from "../plugin-settings.ts";
import { toLines } from "../table.ts";
import { visibleLine } from "../terminal.ts";
import { closeWorkspace, openFor, type Opened } from "../workspace.ts";
import { findPlugin } from "./plugin-info.ts";

/** Shows the settings of a plugin, or keeps some for the person. A secret never stands on the command line. */
export async function pluginConfig(input: CommandInput): Promise<number> {
  const [name, pairs] = input.arguments as [string, readonly string[]];
  const { options, terminal } = input;
  const opened = await openFor(input, { readOnly: true });
  try {
    const one = findPlugin(await listPlugins(opened), name);
    const given = await readSettings(input, pairs, one);
    if (Object.keys(given).length > 0) await store(opened, one, given);
    const settings = await settingViews(one, opened);
    if (options.json) terminal.print(JSON.stringify({ name, settings }, null, 2));
    else for (const line of toLines(settings.map(toRow), terminal.columns)) terminal.print(line);
    if (settings.length === 0) terminal.note(`The plugin "${name}" has no settings that are known`);
    return EXIT.done;
  } finally {
    await closeWorkspace(opened.workspace, terminal);
  }
}

async function readSettings({ options }: CommandInput, pairs: readonly string[], one: FoundListed) {
  const schema = settingsSchemaOf(one);
  const secrets = (options["secret"] ?? []) as readonly string[];
  const unset = (options["unset"] ?? []) as readonly string[];
  const typed = (pairs.length === 0 ? {} : await readInput(pairs, undefined, schema)) as Readonly<Record<string, Json>>;
  const properties = Object(schema["properties"]) as Readonly<Record<string, { readonly writeOnly?: boolean }>>;
  const open = Object.entries(typed).find(
    ([key, value]) => properties[key]?.writeOnly && !String(value).startsWith("secret://"),
  );
  if (open)
    throw new PegboardError(
      "invalid_config",
      `"${open[0]}" is a secret, and what stands on a command line is none: use --secret ${open[0]}, or ${open[0]}=secret://name`,
    );
  if (secrets.length > 1 && !process.stdin.isTTY)
    throw new PegboardError("invalid_config", "From standard input one secret can be read at a time");
  const hidden: Record<string, Json> = {};
  for (const key of secrets) hidden[key] = await readSecret(key);
  return { ...Object.fromEntries(unset.map((key) => [key, null])), ...typed, ...hidden } as Record<string, Json>;
}

async function readSecret(key: string): Promise<string> {
  if (!process.stdin.isTTY) return (await readAll(process.stdin)).replace(/\r?\n$/, "");
  const value = await askHidden(`Value of "${key}" (not shown): `);
  if (value === undefined) throw new PegboardError("cancelled", `"${key}" was not set`);
  return value;
}

async function store({ settings }: Opened, one: FoundListed, given: Readonly<Record<string, Json>>): Promise<void> {
  const home = settings.home.value;
  const { found } = one;
  const { loaded } = found;
  // Of a module the schema is known only when it has run.
  const plugin = loaded && { ...loaded.plugin, settingsSchema: settingsSchemaOf(one) };
  await storeSettings(
    home,
    { ...found, ...(loaded && { loaded: { ...loaded, plugin: plugin! } }) },
    given,
    userSecrets(home),
  );
}

function toRow({ key, type = "", description = "", required, secret, value, from = "", missing }: SettingView) {
  const notes = [type, ...(required ? ["required"] : []), ...(secret ? ["secret"] : [])].filter(Boolean).join(", ");
  return [
    { text: visibleLine(key) },
    { text: missing ? "missing" : visibleLine(JSON.stringify(value) ?? "-") },
    { text: visibleLine(from) },
    { text: notes },
    { text: visibleLine(description) },
  ];
}
