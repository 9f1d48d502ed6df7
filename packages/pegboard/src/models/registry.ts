import { PegboardError } from "../core/error.ts";
import type { Model, Models } from "../core/model.ts";
import { nearest } from "../core/nearest.ts";
import { fromAiSdkModel } from "./ai-sdk/model.ts";
import type { Price } from "./price.ts";
import { contextTokensOf, costOf } from "./prices.ts";
import { type Provider, type ProviderLoader, type ProviderSettings, toAccess } from "./provider.ts";
import { anthropic } from "./providers/anthropic.ts";
import { google } from "./providers/google.ts";
import { lmstudio, ollama, openaiCompatible } from "./providers/openai-compatible.ts";
import { openai, openaiChat } from "./providers/openai.ts";

/** Which models there are; all of it has a default. */
export interface ModelsOptions {
  /** Names for models: `provider:model`, or another alias. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** Prices by `provider:model`, before those that are known. */
  readonly prices?: Readonly<Record<string, Price>>;
  /**
   * By name: settings of a known provider, those of another that speaks OpenAI's format (it needs a `baseURL`), or a
   * function that gives its models.
   */
  readonly providers?: Readonly<Record<string, ProviderSettings | ProviderLoader>>;
  /** Where keys and addresses are looked up; by default the environment of the process, where there is one. */
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** The providers that are known, by the word before the colon. */
export const PROVIDERS: Readonly<Record<string, Provider>> = {
  google,
  anthropic,
  openai,
  "openai-chat": openaiChat,
  "openai-compatible": openaiCompatible,
  ollama,
  lmstudio,
};

/** Models by name. The package of a provider is loaded when the first of its models is resolved; keys are read each time. */
export function createModels(options: ModelsOptions = {}): Models {
  const { prices = {}, env = environment() } = options;
  const aliases = new Map(Object.entries(options.aliases ?? {}));
  const providers = new Map(Object.entries(options.providers ?? {}));
  return {
    async resolve(name) {
      const { provider, model } = parseName(expand(name, aliases), aliases);
      const given = providers.get(provider) ?? {};
      if (typeof given === "function") return given(model);
      const known = Object.hasOwn(PROVIDERS, provider) ? PROVIDERS[provider]! : undefined;
      if (known) return open(provider, model, known, given, env);
      if (given.baseURL === undefined) throw unknownProvider(provider, name, providers.keys());
      return open(provider, model, { ...openaiCompatible, keys: [] }, given, env);
    },
    cost: (model, usage) => costOf(expand(model, aliases), usage, prices),
  };
}

/** A browser has none. */
function environment(): NonNullable<ModelsOptions["env"]> {
  return (globalThis as { process?: { env?: NonNullable<ModelsOptions["env"]> } }).process?.env ?? {};
}

async function open(
  name: string,
  model: string,
  provider: Provider,
  settings: ProviderSettings,
  env: NonNullable<ModelsOptions["env"]>,
): Promise<Model> {
  const id = `${name}:${model}`;
  const access = await toAccess(name, model, provider, settings, env);
  const contextTokens = contextTokensOf(id);
  return fromAiSdkModel(await provider.create(model, access), {
    ...provider.options,
    id,
    keys: provider.keys,
    secrets: access.apiKey ? [access.apiKey] : [],
    structured: access.structured,
    ...(contextTokens !== undefined && { contextTokens }),
  });
}

/** What an alias stands for in the end; any other name itself. */
function expand(name: string, aliases: ReadonlyMap<string, string>): string {
  const seen = [name];
  for (let next = aliases.get(name); next !== undefined; next = aliases.get(next)) {
    if (seen.includes(next))
      throw new PegboardError(
        "invalid_config",
        `The alias "${name}" leads in a circle (${[...seen, next].join(" → ")}): one of them must be a provider:model`,
      );
    seen.push(next);
  }
  return seen.at(-1)!;
}

function parseName(name: string, aliases: ReadonlyMap<string, string>): { provider: string; model: string } {
  const colon = name.indexOf(":");
  if (colon > 0 && colon < name.length - 1) return { provider: name.slice(0, colon), model: name.slice(colon + 1) };
  if (name === "inherit")
    throw new PegboardError(
      "invalid_config",
      `"inherit" is the model of whoever runs an agent, and there is nobody here: name one, such as google:gemini-2.5-flash`,
    );
  const near = nearest(name, aliases.keys());
  const known = aliases.size === 0 ? "no aliases are set" : `the aliases are ${[...aliases.keys()].join(", ")}`;
  throw new PegboardError(
    "invalid_config",
    `"${name}" is no model: ${near ? `did you mean the alias "${near}"? A` : "a"} model is named as provider:model, such as google:gemini-2.5-flash, or by an alias; ${known}`,
  );
}

function unknownProvider(provider: string, name: string, others: Iterable<string>): PegboardError {
  const known = [...new Set([...Object.keys(PROVIDERS), ...others])];
  const near = nearest(provider, known);
  return new PegboardError(
    "invalid_config",
    `There is no provider "${provider}" for the model "${name}"${near ? `; did you mean "${near}"?` : ""} (known: ${known.join(", ")})`,
  );
}
