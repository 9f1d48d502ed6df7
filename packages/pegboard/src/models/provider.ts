import { PegboardError } from "../core/error.ts";
import type { Model, ModelRequest } from "../core/model.ts";
import type { AiSdkModel, AiSdkModelOptions } from "./ai-sdk/model.ts";

/** How a provider is reached, where that is not as usual. */
export interface ProviderSettings {
  /** Where it is, up to the version, such as `https://example.com/v1`. */
  readonly baseURL?: string;
  /** The key, or where to get it each time a model is resolved; absent is the provider's variable of the environment. */
  readonly apiKey?: string | (() => Promise<string>);
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether a server that speaks OpenAI's format can bind an answer to a JSON Schema. */
  readonly structured?: boolean;
}

/** Gives the model of a name, which is what stands behind the colon. */
export type ProviderLoader = (model: string) => Model | Promise<Model>;

/** A provider that is known. */
export interface Provider {
  /** The variables that can hold its key, the first that is set counts. */
  readonly keys: readonly string[];
  /** Whether it answers without a key. */
  readonly keyless?: boolean;
  /** The variable that says where it is, and where it is otherwise; none when somebody must say. */
  readonly urlVariable: string;
  readonly url: string | undefined;
  /** Brings the value of the variable to a base URL. */
  toURL?(value: string): string;
  readonly options?: Pick<AiSdkModelOptions, "structured" | "resultFiles"> & {
    providerOptions?(request: ModelRequest): Record<string, Record<string, string | boolean | { type: string }>>;
  };
  /** Loads the provider's package and makes the model. */
  create(model: string, access: Access): Promise<AiSdkModel>;
}

/** What it takes to reach a provider. */
export interface Access {
  readonly provider: string;
  readonly baseURL: string;
  readonly apiKey: string | undefined;
  readonly headers: Record<string, string>;
  readonly structured: boolean;
  readonly fetch: typeof fetch;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The first variable that is set. */
export function findKey({ keys }: Provider, env: Environment): string | undefined {
  return keys.find((variable) => env[variable]);
}

/** Where a provider is: what is set for it, else what the environment says, else the usual place. */
export function urlOf(provider: Provider, settings: ProviderSettings, env: Environment): string | undefined {
  const said = env[provider.urlVariable];
  return settings.baseURL ?? (said ? (provider.toURL?.(said) ?? said) : provider.url);
}

/** What it takes to reach a provider. Rejects with `invalid_config`, naming what to set, when something is missing. */
export async function toAccess(
  name: string,
  model: string,
  provider: Provider,
  settings: ProviderSettings,
  env: Environment,
): Promise<Access> {
  const baseURL = urlOf(provider, settings, env);
  if (baseURL === undefined)
    throw new PegboardError(
      "invalid_config",
      `${name}:${model} has no address: set ${provider.urlVariable}, or providers.${name}.baseURL in pegboard.yaml`,
    );
  if (!URL.canParse(baseURL))
    throw new PegboardError(
      "invalid_config",
      `The address of ${name} is no URL: "${baseURL}". It looks like http://127.0.0.1:8080/v1`,
    );
  const { apiKey: given, headers = {}, structured = provider.options?.structured ?? true } = settings;
  const apiKey = typeof given === "function" ? await given() : (given ?? env[findKey(provider, env) ?? ""]);
  if (!apiKey && !provider.keyless)
    throw new PegboardError(
      "invalid_config",
      `${name}:${model} needs a key: set ${provider.keys.join(" or ")} in the environment`,
    );
  return {
    provider: name,
    baseURL: baseURL.replace(/\/+$/, ""),
    apiKey,
    headers: { ...headers },
    structured,
    // A redirect would carry the key elsewhere.
    fetch: (input, init) => fetch(input, { ...init, redirect: "error" }),
  };
}
