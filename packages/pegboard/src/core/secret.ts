import type { ToolInstance } from "@pegboard/contract";
import { messageOf, PegboardError } from "./error.ts";
import { mapTexts } from "./map-texts.ts";
import type { Redactor } from "./redact.ts";
import { isOwnWord, type Registration } from "./registry.ts";

/** Where secrets are kept. */
export interface Secrets {
  /** The value of a secret, or undefined when it is not set. Asked anew for every use. */
  get(name: string): Promise<string | undefined>;
  /** The values that can be had at once: they are redacted from the start, not only from their first use on. */
  known?():
    | Iterable<readonly [name: string, value: string]>
    | Promise<Iterable<readonly [name: string, value: string]>>;
}

/** What is needed to use secrets and to keep them out of sight. */
export interface SecretDeps {
  readonly secrets: Secrets;
  readonly redactor: Redactor;
}

/** Secrets where none are set. */
export const NO_SECRETS: Secrets = { get: async () => undefined };

// A name ends in a letter, digit or underscore, so that a reference may stand in a sentence.
const NAME = "[A-Za-z](?:[A-Za-z0-9_.-]{0,62}[A-Za-z0-9_])?";
const WHOLE_NAME = new RegExp(`^${NAME}$`);
const REFERENCE = new RegExp(`(?<![A-Za-z0-9+.-])secret://(${NAME})`, "g");

/** Whether a text can name a secret. */
export function isSecretName(name: string): boolean {
  return WHOLE_NAME.test(name);
}

/**
 * A copy of a value with every `secret://name` in its texts replaced by the secret, which the redactor knows from then on.
 * What a secret holds is not looked into again. Rejects with `unavailable` when one is not set or cannot be read.
 */
export async function resolveSecrets<T>(value: T, { secrets, redactor }: SecretDeps): Promise<T> {
  const values = new Map<string, string>();
  for (const name of referencesIn(value)) {
    const secret = await getSecret(name, secrets);
    redactor.add(name, secret);
    values.set(name, secret);
  }
  if (values.size === 0) return value;
  return mapTexts(
    value,
    (text) => text.replace(REFERENCE, (_, name: string) => values.get(name)!),
    (key) => key,
  );
}

/** Makes the redactor know what can be had at once. Never rejects: a secret that is used is redacted in any case. */
export async function learnSecrets({ secrets, redactor }: SecretDeps): Promise<void> {
  try {
    for (const [name, value] of (await secrets.known?.()) ?? []) redactor.add(name, value);
  } catch {
    // Whoever uses one of them is told what is wrong.
  }
}

/**
 * Whether references in the input of a tool are resolved: when it declares the capability `secrets`, and that is the
 * operator's own word. A package that claims it must not get what a model can be talked into sending.
 */
export function takesSecrets({ tool, source }: Registration): boolean {
  return isOwnWord(source) && tool.capabilities?.includes("secrets") === true;
}

/** The tool, given true values in place of references at the moment it runs. */
export function withSecrets(instance: ToolInstance<any>, deps: SecretDeps): ToolInstance<any> {
  return {
    async execute(input: unknown, context) {
      const resolved = await resolveSecrets(input, deps);
      context.signal.throwIfAborted();
      return instance.execute(resolved, context);
    },
  };
}

function referencesIn(value: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  mapTexts(
    value,
    (text) => {
      for (const [, name] of text.matchAll(REFERENCE)) names.add(name!);
      return text;
    },
    (key) => key,
  );
  return names;
}

async function getSecret(name: string, secrets: Secrets): Promise<string> {
  let value: string | undefined;
  try {
    value = await secrets.get(name);
  } catch (error) {
    throw error instanceof PegboardError
      ? error
      : new PegboardError("unavailable", `The secret "${name}" cannot be had: ${messageOf(error)}`, { cause: error });
  }
  if (value === undefined)
    throw new PegboardError("unavailable", `The secret "${name}" is not set. Set it with: pegboard secret set ${name}`);
  return value;
}
