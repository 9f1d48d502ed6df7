import { isIP } from "node:net";
import { PegboardError } from "../../core/error.ts";
import { addressProblem } from "./address.ts";

/** What the operator says about where the web tools may go. */
export interface WebReach {
  /** Hosts, as `host` or `host:port`, that may be anywhere, also in a private network. */
  readonly allow?: readonly string[];
  /** Ports besides 80, 443, 8080 and 8443. */
  readonly ports?: readonly number[];
}

/** A URL that may be tried. `vouched`: the operator named its host, so its addresses are not looked at. */
export interface CheckedUrl {
  readonly url: URL;
  /** The host without brackets and without a trailing dot. */
  readonly host: string;
  readonly port: number;
  readonly vouched: boolean;
}

const PORTS: readonly number[] = [80, 443, 8080, 8443];
const MOST_CHARACTERS = 8_192;

/** Suffixes that no public name has: what answers to them is near. */
const NEAR = [
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "svc",
  "home.arpa",
];

/**
 * Decides about a URL by its text alone: what its name resolves to is still to be checked. A relative one is taken from
 * `base`. Throws `invalid_input` for what is no URL and `blocked` for one that must not be fetched.
 */
export function checkUrl(text: string, reach: WebReach = {}, base?: URL): CheckedUrl {
  const url = parseUrl(text, base);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refused(url, `only http and https are fetched, not ${url.protocol.slice(0, -1)}`);
  }
  if (url.username !== "" || url.password !== "") throw refused(url, "a URL must not hold credentials");
  const host = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
  const open = [...PORTS, ...(reach.ports ?? [])].includes(port);
  const allowed = reach.allow?.map((entry) => entry.toLowerCase()) ?? [];
  if (allowed.includes(`${isIP(host) === 6 ? `[${host}]` : host}:${port}`)) return { url, host, port, vouched: true };
  if (!open) throw refused(url, `port ${port} is not one of the open ones; web.ports in pegboard.yaml can add it`);
  if (allowed.includes(host)) return { url, host, port, vouched: true };
  const problem = isIP(host) ? addressProblem(host) : nameProblem(host);
  if (problem) throw refused(url, isIP(host) ? notPublic(host, problem) : problem);
  return { url, host, port, vouched: false };
}

/** The error for a host of which an address is not public. */
export function refusedAddress({ url }: CheckedUrl, address: string, problem: string): PegboardError {
  return refused(url, notPublic(address, problem));
}

function notPublic(address: string, problem: string): string {
  return `the address ${address} is not public: ${problem}`;
}

// Parsers disagree about backslashes and control characters: what is checked here must be what everybody sees.
function parseUrl(text: string, base: URL | undefined): URL {
  const trimmed = text.trim();
  if (trimmed.length > MOST_CHARACTERS)
    throw new PegboardError("invalid_input", `The URL is longer than ${MOST_CHARACTERS} characters`);
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f\\]/.test(trimmed))
    throw new PegboardError(
      "blocked",
      `The web policy refuses ${JSON.stringify(trimmed)}: a URL must not hold backslashes or control characters`,
    );
  const url = URL.parse(trimmed, base);
  if (!url)
    throw new PegboardError(
      "invalid_input",
      `${JSON.stringify(trimmed)} is not a URL; it must be absolute, such as https://example.com/page`,
    );
  return url;
}

function nameProblem(host: string): string | undefined {
  if (host === "" || !host.includes(".")) return `"${host}" is a name of the local network`;
  const near = NEAR.find((suffix) => `.${host}`.endsWith(`.${suffix}`));
  return near && `names that end in .${near} are of the local network`;
}

function refused(url: URL, why: string): PegboardError {
  const shown = new URL(url);
  shown.username = shown.password = "";
  return new PegboardError(
    "blocked",
    `The web policy refuses ${shown.href}: ${why}. The web tools reach only the public internet, and what web.allow in pegboard.yaml names`,
  );
}
