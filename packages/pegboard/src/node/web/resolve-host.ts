import { lookup as dnsLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { PegboardError } from "../../core/error.ts";
import { addressProblem } from "./address.ts";
import { type CheckedUrl, refusedAddress } from "./check-url.ts";

/** One address of a host. */
export interface Address {
  readonly address: string;
  readonly family: number;
}

/** All addresses of a name, as the system sees them. */
export type Lookup = (host: string) => Promise<readonly Address[]>;

/** The system's own resolver, the hosts file included. */
export const systemLookup: Lookup = (host) => dnsLookup(host, { all: true });

/**
 * The addresses that a connection may go to. Throws `blocked` when any of them is not public, and `unavailable` when there
 * are none. The connection must go to one of these very addresses: asking again could give others.
 */
export async function resolveHost(
  target: CheckedUrl,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<readonly Address[]> {
  const { host, vouched } = target;
  if (isIP(host)) return [{ address: host, family: isIP(host) }];
  if (vouched) return orUnavailable(target, untilAborted(lookup(host), signal));
  // Asked twice at once: a name that gives a public address one time and a private one the next is found out.
  const answers = await Promise.all(
    [lookup(host), lookup(host)].map((answer) => orUnavailable(target, untilAborted(answer, signal))),
  );
  for (const { address } of answers.flat()) {
    const problem = addressProblem(address);
    if (problem) throw refusedAddress(target, address, problem);
  }
  return answers[0]!;
}

async function orUnavailable({ host }: CheckedUrl, answer: Promise<readonly Address[]>): Promise<readonly Address[]> {
  try {
    const addresses = await answer;
    if (addresses.length > 0) return addresses;
  } catch (error) {
    if (error instanceof PegboardError) throw error;
    const { code } = error as NodeJS.ErrnoException;
    const lasting = code === "ENOTFOUND";
    throw new PegboardError(
      "unavailable",
      `The name "${host}" ${lasting ? "is not known" : "could not be resolved"} (${code})`,
      { cause: error, retryable: !lasting },
    );
  }
  throw new PegboardError("unavailable", `The name "${host}" has no address`);
}

/** What a promise gives, or the signal's reason as soon as it fires. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
