import { type IncomingMessage, request as requestPlain } from "node:http";
import { request as requestSecure, type RequestOptions } from "node:https";
import { urlToHttpOptions } from "node:url";
import type { Post } from "../../sources/mcp/post.ts";

/** Sends requests over connections that are kept, in a fraction of the time of `fetch`. */
export const httpPost: Post = (url, { headers, body, signal }) =>
  new Promise((resolve, reject) => {
    const request = url.protocol === "https:" ? requestSecure : requestPlain;
    const length = String(Buffer.byteLength(body));
    // In one list they are written as they are, without a map of them.
    const list = Object.entries({ host: url.host, ...headers, "content-length": length }).flat();
    const sent = request({ ...targetOf(url), headers: list }, (answer) =>
      resolve({
        status: answer.statusCode ?? 0,
        header: (name) => toText(answer.headers[name]),
        read: (take) => read(answer, take),
      }),
    );
    const hangUp = () => sent.destroy(signal.reason as Error);
    signal.addEventListener("abort", hangUp);
    sent.on("error", reject);
    sent.on("close", () => signal.removeEventListener("abort", hangUp));
    if (signal.aborted) hangUp();
    else sent.end(body);
  });

const targets = new WeakMap<URL, RequestOptions>();

/** Where an address leads: found out once for each. */
function targetOf(url: URL): RequestOptions {
  const known = targets.get(url) ?? { ...urlToHttpOptions(url), method: "POST" };
  targets.set(url, known);
  return known;
}

function toText(value: string | string[] | undefined): string | null {
  return Array.isArray(value) ? value.join(", ") : (value ?? null);
}

function read(answer: IncomingMessage, take: (text: string) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    answer.setEncoding("utf8");
    answer.on("data", (text: string) => {
      try {
        take(text);
      } catch (error) {
        answer.destroy(error as Error);
      }
    });
    answer.on("end", resolve);
    answer.on("error", reject);
    answer.on("close", () => {
      if (!answer.complete) reject(new Error("the connection was closed before the answer was whole"));
    });
  });
}
