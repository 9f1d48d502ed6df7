import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, PegboardError } from "../core/error.ts";
import type { Model, Models } from "../core/model.ts";
import { resolveSecrets, type SecretDeps } from "../core/secret.ts";
import { createModels, type ModelsOptions, PROVIDERS } from "../models/registry.ts";
import { findKey, type ProviderSettings, urlOf } from "../models/provider.ts";
import { readScript } from "../models/read-script.ts";
import { scriptedModel } from "../models/scripted.ts";
import { resolveReferences } from "./environment.ts";

/** What a configuration says about models. `apiKey` may refer to `secret://name` and to `${VARIABLE}`. */
export interface ModelSettings extends Pick<ModelsOptions, "aliases" | "prices"> {
  readonly providers?: Readonly<Record<string, Omit<ProviderSettings, "apiKey"> & { readonly apiKey?: string }>>;
}

/** Where the models of a workspace get what they need. */
export interface ModelPlaces extends SecretDeps {
  /** The folder from which `scripted:FILE` names a file. */
  readonly folder: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** The models of a workspace: keys come from the environment or from secrets, scripts from files that are read each time. */
export function workspaceModels(settings: ModelSettings, places: ModelPlaces): Models {
  const { env = process.env, folder } = places;
  const providers = Object.entries(settings.providers ?? {}).map(([name, { apiKey, ...given }]) => [
    name,
    { ...given, ...(apiKey !== undefined && { apiKey: () => readKey(apiKey, env, places) }) },
  ]);
  return createModels({
    ...settings,
    env,
    providers: { ...Object.fromEntries(providers), scripted: (file) => readScripted(folder, file) },
  });
}

/** A provider and how it stands. */
export interface ProviderView {
  readonly provider: string;
  /** Whether a model of it can be asked, as far as can be said without asking. */
  readonly ready: boolean;
  /** The variable that holds the key, or where a provider without one is. */
  readonly from?: string;
  /** What would have to be set. */
  readonly missing?: readonly string[];
}

/** The providers that are known, and which could be used. Reaches nothing and tells no key. */
export function describeProviders(
  { providers = {} }: Pick<ModelSettings, "providers"> = {},
  env: NodeJS.ProcessEnv = process.env,
): readonly ProviderView[] {
  const known = Object.entries(PROVIDERS).map(([provider, facts]): ProviderView => {
    const settings = providers[provider] ?? {};
    const url = urlOf(facts, settings, env);
    if (facts.keyless) return toView(provider, url, facts.urlVariable);
    const from = settings.apiKey === undefined ? findKey(facts, env) : "pegboard.yaml";
    return from ? { provider, ready: true, from } : { provider, ready: false, missing: facts.keys };
  });
  const others = Object.entries(providers).filter(([provider]) => !Object.hasOwn(PROVIDERS, provider));
  return [
    ...known,
    ...others.map(([provider, { baseURL }]) => toView(provider, baseURL, `providers.${provider}.baseURL`)),
  ];
}

function toView(provider: string, url: string | undefined, setting: string): ProviderView {
  const place = URL.parse(url ?? "");
  if (!place) return { provider, ready: false, missing: [setting] };
  // Without what may stand before the host, or behind the path: it may be a secret.
  return { provider, ready: true, from: `${place.origin}${place.pathname}` };
}

async function readKey(text: string, env: NodeJS.ProcessEnv, secrets: SecretDeps): Promise<string> {
  try {
    return await resolveSecrets(resolveReferences({ text }, env)["text"]!, secrets);
  } catch (error) {
    throw new PegboardError("invalid_config", messageOf(error), { cause: error });
  }
}

async function readScripted(folder: string, name: string): Promise<Model> {
  const file = resolve(folder, name);
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new PegboardError("invalid_config", `The script ${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return scriptedModel(await readScript(text, file), { id: `scripted:${name}` });
}
