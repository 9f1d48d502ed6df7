import { PegboardError } from "../core/error.ts";
import { createRedactor, type Redactor } from "../core/redact.ts";
import { isSecretName, type Secrets } from "../core/secret.ts";
import { isRedactable } from "../core/secret-forms.ts";
import { secretFile } from "./secret-file.ts";

/** A secret as people may see it: all but its value. */
export interface SecretView {
  readonly name: string;
  /** The variable or the file that holds it. */
  readonly from: string;
  /** Whether it is long and unlike other text, so that it can be taken out of what is written down. */
  readonly redacted: boolean;
  /** Why it cannot be used. */
  readonly problem?: string;
}

/** The secrets of a person: variables of the environment first, then their own encrypted file. */
export interface UserSecrets extends Secrets {
  known(): Iterable<readonly [name: string, value: string]>;
  list(): readonly SecretView[];
  /** Keeps a secret in the file. Rejects with `invalid_config` for a name or value that cannot be kept. */
  set(name: string, value: string): Promise<SecretView>;
  /** Takes a secret out of the file. Whether there was one. */
  remove(name: string): Promise<boolean>;
}

const PREFIX = "PEGBOARD_SECRET_";
const MOST = 64 * 1024;

/** The secrets of whoever has this folder of settings. Every use reads them anew. */
export function userSecrets(home: string, env: NodeJS.ProcessEnv = process.env): UserSecrets {
  const file = secretFile(home, env);

  function* known(): Generator<readonly [name: string, value: string]> {
    for (const [name, value] of inEnvironment(env)) yield [name, value];
    const key = attempt(() => file.key);
    if (key) yield ["secret.key", key];
    for (const name of attempt(() => file.names()) ?? []) {
      const value = attempt(() => file.read(name));
      if (value !== undefined) yield [name, value];
    }
  }

  function view(name: string): SecretView {
    try {
      return { name, from: file.path, redacted: isRedactable(file.read(name) ?? "") };
    } catch (error) {
      return { name, from: file.path, redacted: false, problem: (error as Error).message };
    }
  }

  return {
    get: async (name) => env[secretVariable(name)] || file.read(name),
    known,
    list() {
      const variables = Array.from(inEnvironment(env), ([name, value]) => ({
        name,
        from: secretVariable(name),
        redacted: isRedactable(value),
      }));
      return [...variables, ...file.names().map(view)].sort((a, b) => (a.name < b.name ? -1 : 1));
    },
    async set(name, value) {
      if (!isSecretName(name))
        throw new PegboardError(
          "invalid_config",
          `${JSON.stringify(name)} cannot name a secret: it takes a letter, then letters, digits, "_", "." and "-", at most 64, the last no "." or "-"`,
        );
      if (value === "")
        throw new PegboardError("invalid_config", `The secret "${name}" was not set: its value is empty`);
      if (value.length > MOST)
        throw new PegboardError(
          "invalid_config",
          `The secret "${name}" was not set: its value is longer than ${MOST} characters`,
        );
      await file.write(name, value);
      return view(name);
    },
    remove: (name) => file.remove(name),
  };
}

/** The variable that holds a secret when it is in the environment. */
export function secretVariable(name: string): string {
  return `${PREFIX}${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")}`;
}

function* inEnvironment(env: NodeJS.ProcessEnv): Generator<readonly [name: string, value: string]> {
  for (const [variable, value] of Object.entries(env)) {
    if (value && variable.startsWith(PREFIX)) yield [variable.slice(PREFIX.length).toLowerCase(), value];
  }
}

// What cannot be read here cannot be used either; whoever tries is told.
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** A redactor that knows all secrets of a person. */
export function userRedactor(home: string): Redactor {
  const redactor = createRedactor();
  for (const [name, value] of userSecrets(home).known()) redactor.add(name, value);
  return redactor;
}
