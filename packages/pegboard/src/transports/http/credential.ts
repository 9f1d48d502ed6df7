/** How a browser, which can set no headers of a WebSocket, brings its token there: as one of the protocols it offers. */
const BEARER_PROTOCOL = "bearer.";

/**
 * The secrets that a request shows, the most telling first: the header `Authorization: Bearer`, a protocol
 * `bearer.<token>` of a WebSocket, the cookie. What stands in the address is none: addresses end up in logs.
 */
export function credentialsOf(headers: Headers, cookie: string): readonly string[] {
  const [, bearer] = /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "") ?? [];
  const offered = protocolsOf(headers).find((name) => name.startsWith(BEARER_PROTOCOL));
  const kept = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  const prefix = `${cookie}=`;
  return [
    bearer,
    offered?.slice(BEARER_PROTOCOL.length),
    ...kept.filter((pair) => pair.startsWith(prefix)).map((pair) => pair.slice(prefix.length)),
  ].filter((secret) => secret !== undefined);
}

/** The protocols that a WebSocket offers, but those that carry a token. */
export function offeredProtocols(headers: Headers): readonly string[] {
  return protocolsOf(headers).filter((name) => !name.startsWith(BEARER_PROTOCOL));
}

function protocolsOf(headers: Headers): readonly string[] {
  const offered = headers.get("sec-websocket-protocol");
  return offered === null ? [] : offered.split(",").map((name) => name.trim());
}

/** Whether two secrets are the same. How long it takes tells nothing but their lengths. */
export function sameSecret(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let index = 0; index < one.length; index++) difference |= one.charCodeAt(index) ^ other.charCodeAt(index);
  return difference === 0;
}

/** A secret of 256 bits that nobody can guess, in characters that stand in any address or header. */
export function randomSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
