import { INPUT, search } from "../search-tool.ts";
import type { Peer } from "./peer.ts";

/** The function alone: the floor that nothing can be below. */
export function rawPeer(): Peer {
  return { name: "raw function", call: () => search(INPUT), async [Symbol.asyncDispose]() {} };
}
