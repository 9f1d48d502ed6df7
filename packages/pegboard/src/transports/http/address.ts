import type { Refusal } from "./refusal.ts";

/** Under which names a server is asked, and which pages may ask it. */
export interface AddressOptions {
  /** Names besides those of this machine itself, without a port; IPv6 addresses in brackets. */
  readonly hosts?: readonly string[];
  /** Origins of pages besides the server's own, exactly as browsers send them. */
  readonly origins?: readonly string[];
}

const LOOPBACK = ["localhost", "127.0.0.1", "[::1]"];
const HOST = /^(\[[\da-f:.]+\]|[\da-z.-]+)(:\d{1,5})?$/;

/**
 * What is wrong with where a request is sent to or comes from; undefined when nothing is. A name that somebody else points
 * at this machine is refused, and so is every page that is not on a list: a browser sends what any page asks it to.
 */
export function addressCheck({ hosts = [], origins = [] }: AddressOptions): (headers: Headers) => Refusal | undefined {
  const names = new Set([...LOOPBACK, ...hosts.map((host) => host.toLowerCase())]);
  const pages = new Set(origins);
  return (headers) => {
    const host = headers.get("host")?.toLowerCase() ?? "";
    const [, name = "", port = ""] = HOST.exec(host) ?? [];
    if (!names.has(name)) return forbidden(`This server is not asked as "${host}": allow that name when it is started`);
    const origin = headers.get("origin");
    if (origin === null || pages.has(origin) || isOwn(origin, names, port)) return undefined;
    return forbidden(`Pages of "${origin}" may not ask this server: allow that origin when it is started`);
  };
}

/** Whether a page is the server's own: of one of its names, on the port that it was asked at. */
function isOwn(origin: string, names: ReadonlySet<string>, port: string): boolean {
  const prefix = "http://";
  if (!origin.startsWith(prefix) || !origin.endsWith(port)) return false;
  return names.has(origin.slice(prefix.length, origin.length - port.length));
}

function forbidden(message: string): Refusal {
  return { status: 403, code: "denied", message };
}
