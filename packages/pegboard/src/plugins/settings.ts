import type { Json, JsonSchema, Plugin } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import { copyJson } from "../core/json.ts";
import { compileSchema, describeProblems } from "../core/schema.ts";
import { resolveSecrets, type SecretDeps } from "../core/secret.ts";

/**
 * The settings of a plugin, checked, with defaults and with the secrets that they refer to. Rejects with `invalid_config`
 * and the names of what is missing, or all that is wrong; with `unavailable` when a secret cannot be had.
 */
export async function checkSettings(plugin: Plugin, settings: Json, deps: SecretDeps): Promise<Json> {
  const copy = copyJson(settings);
  const { name, settingsSchema } = plugin;
  if (!settingsSchema) return resolveSecrets(copy, deps);
  const checked = await compileSchema(settingsSchema, { foreign: true }).check(copy);
  if (checked.ok) return resolveSecrets(checked.value as Json, deps);
  const { problems } = checked;
  // Missing settings are no mistake, and the usual thing after a plugin was added: their names are all there is to say.
  const missing = problems.flatMap(({ keyword, path, params }) =>
    keyword === "required" ? `${path}/${String(params?.["missingProperty"])}`.slice(1) : [],
  );
  throw new PegboardError(
    "invalid_config",
    missing.length === problems.length
      ? `Plugin "${name}" needs settings: ${missing.join(", ")}. Set them with: pegboard plugin config ${name} ${toArguments(missing, settingsSchema)}`
      : `The settings of plugin "${name}" are not valid:\n${describeProblems(problems)}`,
    { details: { missing } },
  );
}

/** How settings stand on a command line: secrets only by their names. */
function toArguments(missing: readonly string[], { properties }: JsonSchema): string {
  const known = Object(properties) as Readonly<Record<string, { readonly writeOnly?: boolean }>>;
  const keys = new Set(missing.map((path) => path.split("/")[0]!));
  return Array.from(keys, (key) => (known[key]?.writeOnly ? `--secret ${key}` : `${key}=…`)).join(" ");
}
