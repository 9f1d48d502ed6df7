import { messageOf, PegboardError } from "../../core/error.ts";
import type { FetchPage } from "./page.ts";

const MAX_BYTES = 20 * 1024 * 1024;

/**
 * Fetches pages as a browser does: it alone decides what may be read, and says so in words of ours. Not for servers, where
 * nothing keeps the platform's fetch from reaching private addresses.
 */
export const fetchPageInBrowser: FetchPage = async (text, { signal, reads }) => {
  const url = URL.parse(text);
  if (!url)
    throw new PegboardError(
      "invalid_input",
      `${JSON.stringify(text)} is not a URL; it must be absolute, such as https://example.com/page`,
    );
  if (!/^https?:$/.test(url.protocol))
    throw new PegboardError("blocked", `web_fetch refuses ${text}: only http and https are fetched`);
  if (url.username !== "" || url.password !== "")
    throw new PegboardError("blocked", `web_fetch refuses ${url.origin}: a URL must not hold credentials`);
  const response = await fetch(url, { signal, credentials: "omit", referrerPolicy: "no-referrer" }).catch(
    async (error: unknown) => {
      if (signal.aborted) throw signal.reason;
      throw await explain(url, signal, error);
    },
  );
  const contentType = response.headers.get("content-type") ?? "";
  const size = response.headers.get("content-length");
  const retryAfter = response.headers.get("retry-after");
  return {
    url: response.url || url.href,
    status: response.status,
    contentType,
    ...(reads(contentType) ? await readBody(response) : { bytes: new Uint8Array() }),
    ...(size !== null && { size: Number(size) }),
    ...(retryAfter !== null && { retryAfter }),
  };
};

/** Why the browser gave no answer: it does not say itself whether there was none or it must not be read. */
async function explain(url: URL, signal: AbortSignal, cause: unknown): Promise<PegboardError> {
  const answered = await fetch(url, { signal, mode: "no-cors", credentials: "omit" }).then(
    () => true,
    () => false,
  );
  if (!answered)
    return new PegboardError("unavailable", `${url.origin} could not be reached: ${messageOf(cause)}`, {
      cause,
      retryable: true,
    });
  const why = "the site answered, and does not allow pages of other sites to read the answer (CORS)";
  return new PegboardError(
    "unavailable",
    `The browser blocked ${url.href}: ${why}. A server of your own can fetch it instead`,
    { cause },
  );
}

async function readBody(response: Response): Promise<{ readonly bytes: Uint8Array; readonly partial?: string }> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (let next = await reader?.read(); next && !next.done && length < MAX_BYTES; next = await reader!.read()) {
    chunks.push(next.value);
    length += next.value.length;
  }
  await reader?.cancel();
  const bytes = new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
  return {
    bytes,
    ...(length >= MAX_BYTES && {
      partial: `the page is longer than ${MAX_BYTES} bytes, and only its beginning was read`,
    }),
  };
}
