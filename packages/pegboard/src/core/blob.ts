/** A kept text: how long it is, and its digest. */
export interface Blob {
  readonly characters: number;
  readonly sha256: string;
}

/** Whole texts of results that were too long to hand on. Keys are a session and a call. */
export interface BlobStore {
  /** Keeps a text for good, in place of one that is there. The digest is over its UTF-16 code units, little-endian. */
  write(session: string, call: string, text: string): Promise<Blob>;
  /** A part of a text and the length of all of it; undefined when there is none. Offsets count UTF-16 code units. */
  read(
    session: string,
    call: string,
    offset: number,
    length: number,
  ): Promise<{ readonly text: string; readonly characters: number } | undefined>;
}
