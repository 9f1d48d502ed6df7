import { createHash } from "node:crypto";
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { PegboardError } from "../../core/error.ts";
import { randomSecret } from "../../transports/http/credential.ts";

/** The file of the token that opens every door of this person's servers. */
export function tokenFile(home: string): string {
  return join(home, "token");
}

/**
 * The person's token: `PEGBOARD_TOKEN`, else that of the file, which is made at the first time. Only they can read the
 * file: it is repaired when others could. Throws `invalid_config` for what is no token.
 */
export function readToken(home: string, env: NodeJS.ProcessEnv = process.env): string {
  const given = env["PEGBOARD_TOKEN"];
  if (given) return checked(given, "PEGBOARD_TOKEN", "Leave it out to use the one of the file");
  return readSecret(tokenFile(home));
}

/**
 * The key with which this person's servers seal what clients hand back, so that it is good after a restart. Kept as the
 * token is; undefined where no file can be kept. Throws `invalid_config` for a file that holds none.
 */
export function readSealKey(home: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const secret = readSecret(join(home, "seal-key"));
    return Uint8Array.from(createHash("sha256").update(secret).digest());
  } catch (error) {
    if (error instanceof PegboardError) throw error;
    return undefined;
  }
}

/** A secret of a file, which is made at the first time. */
function readSecret(file: string): string {
  const present = statSync(file, { throwIfNoEntry: false });
  if (!present) makeSecret(file);
  else if ((present.mode & 0o077) !== 0) chmodSync(file, 0o600);
  return checked(readFileSync(file, "utf8").trim(), file, "Delete it to have a new one made");
}

function checked(token: string, where: string, fix: string): string {
  if (/^[\w-]{32,}$/.test(token)) return token;
  throw new PegboardError(
    "invalid_config",
    `${where} holds no token: it must be 32 or more letters, digits, "-" or "_". ${fix}`,
  );
}

/** Whole or not at all, and of two that make it at once the first one counts. */
function makeSecret(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${randomSecret()}\n`, { mode: 0o600 });
  try {
    linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
}
