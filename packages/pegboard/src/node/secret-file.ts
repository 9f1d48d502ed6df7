import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { messageOf, PegboardError } from "../core/error.ts";
import { withFileLock } from "./file-lock.ts";

/** The person's stored secrets: each encrypted on its own (AES-256-GCM), bound to its name. Nothing is kept in memory. */
export interface SecretFile {
  readonly path: string;
  names(): readonly string[];
  /** Undefined when there is none of this name. Throws `unavailable` when it cannot be decrypted. */
  read(name: string): string | undefined;
  /** Keeps a secret, in place of one that is there. */
  write(name: string, value: string): Promise<void>;
  /** Whether there was one. */
  remove(name: string): Promise<boolean>;
  /** The key in its written form; undefined when none is needed yet. */
  readonly key: string | undefined;
}

interface Entry {
  readonly nonce: string;
  readonly data: string;
  readonly tag: string;
}

/** The variable that holds the key, in place of the file. Not one of those that hold secrets. */
const KEY_VARIABLE = "PEGBOARD_SECRETS_KEY";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The secrets in a folder of settings. Nothing is made before the first secret is kept. */
export function secretFile(home: string, env: NodeJS.ProcessEnv = process.env): SecretFile {
  const path = join(home, "secrets.json");
  const keyPath = join(home, "secret.key");

  function readKey(): { readonly bytes: Buffer; readonly from: string } | undefined {
    const given = env[KEY_VARIABLE];
    if (given) return { bytes: parseKey(given, KEY_VARIABLE), from: KEY_VARIABLE };
    return existsSync(keyPath) ? { bytes: parseKey(readText(keyPath), keyPath), from: keyPath } : undefined;
  }

  /** The key, made now if there is none. Another process may make one at the same time: the first counts. */
  function ensureKey(): Buffer {
    const present = readKey();
    if (present) return present.bytes;
    const draft = `${keyPath}.${process.pid}.tmp`;
    writeSafely(draft, `${randomBytes(KEY_BYTES).toString("base64")}\n`);
    try {
      linkSync(draft, keyPath);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    } finally {
      rmSync(draft, { force: true });
    }
    return readKey()!.bytes;
  }

  function decrypt(name: string, entry: Entry): string {
    const key = readKey();
    if (!key) throw unreadable(name, `its key is gone: there is no ${keyPath}, and ${KEY_VARIABLE} is not set`);
    try {
      const { nonce, data, tag } = entry;
      const decipher = createDecipheriv("aes-256-gcm", key.bytes, Buffer.from(nonce, "base64"), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(name)).setAuthTag(Buffer.from(tag, "base64"));
      return Buffer.concat([decipher.update(Buffer.from(data, "base64")), decipher.final()]).toString("utf8");
    } catch {
      throw unreadable(name, `it was encrypted with another key than that of ${key.from}, or it was changed`);
    }
  }

  function unreadable(name: string, why: string): PegboardError {
    return new PegboardError(
      "unavailable",
      `The secret "${name}" in ${path} cannot be decrypted: ${why}. Set it again with: pegboard secret set ${name}`,
    );
  }

  async function change<T>(apply: (entries: Map<string, Entry>) => T): Promise<T> {
    try {
      mkdirSync(home, { recursive: true, mode: 0o700 });
      return await withFileLock(`${path}.lock`, () => {
        const entries = readEntries(path);
        const result = apply(entries);
        const draft = `${path}.${process.pid}.tmp`;
        writeSafely(draft, `${JSON.stringify({ version: 1, secrets: Object.fromEntries(entries) }, null, 2)}\n`);
        renameSync(draft, path);
        return result;
      });
    } catch (error) {
      if (error instanceof PegboardError) throw error;
      throw new PegboardError("unavailable", `${path} cannot be written: ${messageOf(error)}`, { cause: error });
    }
  }

  return {
    path,
    names: () => [...readEntries(path).keys()],
    read(name) {
      const entry = readEntries(path).get(name);
      return entry === undefined ? undefined : decrypt(name, entry);
    },
    write: (name, value) => change((entries) => void entries.set(name, encrypt(name, value, ensureKey()))),
    remove: async (name) => readEntries(path).has(name) && change((entries) => entries.delete(name)),
    get key() {
      return readKey()?.bytes.toString("base64");
    },
  };
}

function encrypt(name: string, value: string, key: Buffer): Entry {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(name));
  const data = Buffer.concat([cipher.update(value, "utf8"), cipher.final()]);
  return {
    nonce: nonce.toString("base64"),
    data: data.toString("base64"),
    tag: cipher.getAuthTag().toString("base64"),
  };
}

function parseKey(text: string, from: string): Buffer {
  const key = Buffer.from(text.trim(), "base64");
  if (key.length === KEY_BYTES) return key;
  throw new PegboardError(
    "invalid_config",
    `${from} must be ${KEY_BYTES} bytes in base64, as made by: openssl rand -base64 ${KEY_BYTES}`,
  );
}

function readEntries(path: string): Map<string, Entry> {
  if (!existsSync(path)) return new Map();
  const { version, secrets } = parse(readText(path)) as { version?: unknown; secrets?: unknown };
  const isNewer = typeof version === "number" && version > 1;
  if (isNewer)
    throw new PegboardError("invalid_config", `${path} was written by a newer Pegboard: it has the version ${version}`);
  if (version !== 1 || typeof secrets !== "object" || secrets === null) {
    throw new PegboardError("invalid_config", `${path} is damaged: mend it, or delete it and set your secrets again`);
  }
  return new Map(Object.entries(secrets as Record<string, Entry>));
}

function parse(text: string): object {
  try {
    return Object(JSON.parse(text)) as object;
  } catch {
    return {};
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new PegboardError("unavailable", `${path} cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

/** Writes a file for its owner alone; when it returns, the file is on disk. */
function writeSafely(path: string, text: string): void {
  const handle = openSync(path, "w", 0o600);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
