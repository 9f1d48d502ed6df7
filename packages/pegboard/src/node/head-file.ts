import { closeSync, constants, fstatSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "./durable-folder.ts";
import { GENESIS } from "./event-chain.ts";

/** The newest record that a log is known to have had. */
export interface Head {
  readonly position: number;
  readonly hash: string;
}

const WIDTH = 96;

/**
 * The head of a log, outside of its database: a tail that was cut off is found by it. One short record, written in place:
 * after a crash it may be older than the log, never torn. It only moves forward, so that neither a slower process nor a
 * log that was cut can take it back.
 */
export class HeadFile {
  readonly #path: string;
  readonly #buffer = Buffer.alloc(WIDTH);
  #handle: number | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether it was written to. */
  get used(): boolean {
    return this.#handle !== undefined;
  }

  /** Makes sure that there is a head, before the log has a record: a log with records and no head is one that lost it. */
  prepare(): void {
    if (this.#handle !== undefined) return;
    attempt(() => {
      const handle = (this.#handle = openSync(this.#path, constants.O_RDWR | constants.O_CREAT, 0o600));
      if (fstatSync(handle).size > 0) return;
      writeRecord(handle, { position: 0, hash: GENESIS });
      fsyncSync(handle);
      syncFolder(dirname(this.#path));
    });
  }

  /** Records a head, unless a newer one is on record. */
  write(head: Head): void {
    this.prepare();
    const handle = this.#handle;
    if (handle === undefined) return;
    attempt(() => {
      if ((this.#read(handle)?.position ?? 0) <= head.position) writeRecord(handle, head);
    });
  }

  #read(handle: number): Head | undefined {
    return parseHead(this.#buffer.toString("latin1", 0, readSync(handle, this.#buffer, 0, WIDTH, 0)));
  }

  close(): void {
    if (this.#handle !== undefined) closeSync(this.#handle);
    this.#handle = undefined;
  }
}

// The log itself has what cannot be written here, and an append that is on disk must not be told as lost.
function attempt(work: () => void): void {
  try {
    work();
  } catch {}
}

function writeRecord(handle: number, { position, hash }: Head): void {
  writeSync(handle, `${position} ${hash}`.padEnd(WIDTH - 1).concat("\n"), 0);
}

/** The head that is on record; undefined when there is none that can be read. */
export function readHead(path: string): Head | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
  return parseHead(text);
}

function parseHead(text: string): Head | undefined {
  const match = /^(\d+) ([0-9a-f]{64}) *\n$/.exec(text);
  return match ? { position: Number(match[1]), hash: match[2]! } : undefined;
}
