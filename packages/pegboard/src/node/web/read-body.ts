import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream";
import { constants, createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from "node:zlib";
import { PegboardError } from "../../core/error.ts";

/** A body as far as it was read. */
export interface Body {
  readonly bytes: Uint8Array;
  /** Why it is not the whole one. */
  readonly partial?: string;
}

const MOST_LAYERS = 2;
/** A page that unpacks to more than so many times its size is a trap; small ones are harmless. */
const MOST_RATIO = 100;
const HARMLESS = 1024 * 1024;

/**
 * Reads and unpacks a body. What is longer than `maxBytes` on the wire, or four times that unpacked, is cut there. Throws
 * `tool_error` for an encoding that is not known, is nested too deep or unpacks out of all proportion.
 */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const wire = createMeter(maxBytes);
  const unpacked = createMeter(maxBytes * 4);
  const encodings = toEncodings(response.headers["content-encoding"]);
  let stream: AsyncIterable<Buffer> = wire.pass(response);
  for (const encoding of encodings.toReversed()) stream = unpack(stream, encoding);
  const chunks: Buffer[] = [];
  for await (const chunk of unpacked.pass(stream)) {
    chunks.push(chunk);
    if (unpacked.count > HARMLESS && unpacked.count > wire.count * MOST_RATIO) {
      throw new PegboardError(
        "tool_error",
        `The page unpacks to more than ${MOST_RATIO} times its size: it looks like a decompression bomb, and was not read`,
      );
    }
  }
  const most = wire.isOver ? maxBytes : unpacked.isOver ? maxBytes * 4 : undefined;
  return {
    bytes: Buffer.concat(chunks),
    ...(most && { partial: `the page is longer than ${most} bytes, and only its beginning was read` }),
  };
}

interface Meter {
  readonly count: number;
  readonly isOver: boolean;
  pass(stream: AsyncIterable<Buffer>): AsyncIterable<Buffer>;
}

/** Counts what passes, and ends the stream where there is too much of it. */
function createMeter(most: number): Meter {
  let count = 0;
  let isOver = false;
  return {
    get count() {
      return count;
    },
    get isOver() {
      return isOver;
    },
    async *pass(stream) {
      for await (const chunk of stream) {
        isOver = count + chunk.length > most;
        yield isOver ? chunk.subarray(0, most - count) : chunk;
        count = Math.min(most, count + chunk.length);
        if (isOver) return;
      }
    },
  };
}

function toEncodings(header = ""): readonly string[] {
  const encodings = header
    .toLowerCase()
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "" && each !== "identity");
  if (encodings.length > MOST_LAYERS)
    throw new PegboardError(
      "tool_error",
      `The page is packed ${encodings.length} times over (${header.slice(0, 100)}), and was not read`,
    );
  return encodings;
}

// A body that was cut on purpose must still unpack as far as it goes; one that broke off shows on the connection.
const ZLIB = { finishFlush: constants.Z_SYNC_FLUSH };

async function* unpack(stream: AsyncIterable<Buffer>, encoding: string): AsyncIterable<Buffer> {
  const source = stream[Symbol.asyncIterator]();
  const first = await source.next();
  if (first.done) return;
  const unpacker = toUnpacker(encoding, first.value);
  pipeline(rejoin(first.value, source), unpacker, () => {});
  yield* unpacker as AsyncIterable<Buffer>;
}

async function* rejoin(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

function toUnpacker(encoding: string, first: Buffer) {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip(ZLIB);
  if (encoding === "br") return createBrotliDecompress({ finishFlush: constants.BROTLI_OPERATION_FLUSH });
  // Some servers send it without the zlib header that the standard asks for.
  if (encoding === "deflate") return (first[0]! & 0x0f) === 8 ? createInflate(ZLIB) : createInflateRaw(ZLIB);
  throw new PegboardError("tool_error", `The page is packed as "${encoding.slice(0, 40)}", which was not asked for`);
}
