import { isIP } from "node:net";

/** Why an address is not one of the public internet, in words; undefined when it is public. What is no address is not. */
export function addressProblem(address: string): string | undefined {
  const bytes = toBytes(address);
  if (!bytes) return "it is not an address";
  return bytes.length === 4 ? problemV4(bytes) : problemV6(bytes);
}

/** IANA's special-purpose blocks, and the addresses at which cloud platforms answer from inside. */
const NOT_PUBLIC_V4 = toTable([
  ["0.0.0.0/8", "this network"],
  ["10.0.0.0/8", "private"],
  ["100.64.0.0/10", "carrier-grade NAT"],
  ["127.0.0.0/8", "loopback"],
  ["168.63.129.16/32", "a cloud platform's own"],
  ["169.254.0.0/16", "link-local, where cloud metadata is"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.0/24", "reserved for protocols"],
  ["192.0.2.0/24", "for documentation"],
  ["192.88.99.0/24", "a 6to4 relay"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "for benchmarks"],
  ["198.51.100.0/24", "for documentation"],
  ["203.0.113.0/24", "for documentation"],
  ["224.0.0.0/4", "multicast"],
  ["240.0.0.0/4", "reserved"],
]);

// Only these are handed out to the public; whatever is outside needs no entry below.
const GLOBAL_UNICAST = toTable([["2000::/3", "global unicast"]]);

const NOT_PUBLIC_V6 = toTable([
  ["2001::/23", "reserved for protocols, such as Teredo"],
  ["2001:db8::/32", "for documentation"],
  ["2002::/16", "6to4, which carries an IPv4 address"],
  ["3fff::/20", "for documentation"],
]);

/** Names for what lies outside, so that a message can say more than "not public". */
const NAMED_V6 = toTable([
  ["::/128", "unspecified"],
  ["::1/128", "loopback"],
  ["::ffff:0:0/96", "an IPv4 address in disguise"],
  ["64:ff9b:1::/48", "local-use NAT64"],
  ["fc00::/7", "private"],
  ["fe80::/10", "link-local"],
  ["fec0::/10", "site-local"],
  ["ff00::/8", "multicast"],
]);

// On networks that speak only IPv6, this is how a public IPv4 address looks: it is what it carries.
const NAT64 = toTable([["64:ff9b::/96", "NAT64"]]);

function problemV4(bytes: Bytes): string | undefined {
  return find(NOT_PUBLIC_V4, bytes);
}

function problemV6(bytes: Bytes): string | undefined {
  if (find(NAT64, bytes)) {
    const carried = problemV4(bytes.slice(12));
    return carried && `NAT64 of an address that is ${carried}`;
  }
  if (find(GLOBAL_UNICAST, bytes)) return find(NOT_PUBLIC_V6, bytes);
  return find(NAMED_V6, bytes) ?? "not global unicast";
}

type Bytes = readonly number[];

interface Block {
  readonly bytes: Bytes;
  readonly bits: number;
  readonly what: string;
}

function toTable(rows: readonly (readonly [block: string, what: string])[]): readonly Block[] {
  return rows.map(([block, what]) => {
    const [address = "", bits] = block.split("/");
    return { bytes: toBytes(address)!, bits: Number(bits), what };
  });
}

function find(blocks: readonly Block[], address: Bytes): string | undefined {
  return blocks.find(({ bytes, bits }) => startsAlike(bytes, address, bits))?.what;
}

function startsAlike(a: Bytes, b: Bytes, bits: number): boolean {
  const whole = bits >> 3;
  for (let index = 0; index < whole; index++) if (a[index] !== b[index]) return false;
  const rest = 8 - (bits & 7);
  return rest === 8 || a[whole]! >> rest === b[whole]! >> rest;
}

function toBytes(address: string): Bytes | undefined {
  const version = isIP(address);
  if (version === 4) return address.split(".").map(Number);
  if (version !== 6 || address.includes("%")) return undefined;
  // The URL parser writes every spelling in one form: groups in hex, the longest run of zeros as "::".
  const [head = "", tail] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split("::");
  const before = toGroups(head);
  const after = toGroups(tail ?? "");
  const zeros = Array<number>(tail === undefined ? 0 : 8 - before.length - after.length).fill(0);
  return [...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255]);
}

function toGroups(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}
