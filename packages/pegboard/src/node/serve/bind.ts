import { BlockList, isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { PegboardError } from "../../core/error.ts";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Throws `invalid_config` for an address that other machines can reach, unless that is wanted. */
export function checkBind(host: string, allowRemote: boolean): void {
  if (allowRemote || isLoopback(host)) return;
  throw new PegboardError(
    "invalid_config",
    `Other machines could reach the server at ${host}. If that is what you want, add --allow-remote`,
  );
}

/**
 * The names under which a server at this address is asked besides those of this machine itself. An address is no name that
 * somebody else could point elsewhere.
 */
export function namesOf(host: string): readonly string[] {
  if (host !== "0.0.0.0" && host !== "::") return [bracketed(host)];
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  return addresses.map(({ address }) => bracketed(address));
}

/** An address as it stands in a URL. */
export function bracketed(host: string): string {
  return isIP(host) === 6 ? `[${host}]` : host;
}

function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const family = isIP(host);
  return family !== 0 && LOOPBACK.check(host, family === 6 ? "ipv6" : "ipv4");
}
