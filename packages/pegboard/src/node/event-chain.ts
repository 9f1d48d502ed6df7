import { createHash, hash } from "node:crypto";

/** What the first record is chained to. */
export const GENESIS = "0".repeat(64);

/** The hash of a record: over the hash of the one before and the record's own text. */
export function chainHash(before: string, record: string): string {
  return hash("sha256", `${before}\n${record}`);
}

/** What stays of a record whose text is forgotten. */
export interface Tombstone {
  readonly id: number;
  readonly session: string;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
  readonly hash: string;
}

/** What a record whose text is forgotten adds to the digest of its prune. */
export function tombstoneLine({ id, session, seq, at, type, hash: own }: Tombstone): string {
  return `${JSON.stringify([id, session, seq, at, type, own])}\n`;
}

/** The digest of records whose text was forgotten, in the order of their positions. */
export function tombstoneDigest(rows: readonly Tombstone[]): string {
  const digest = createHash("sha256");
  for (const row of rows) digest.update(tombstoneLine(row));
  return digest.digest("hex");
}
