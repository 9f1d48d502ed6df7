import { isIP } from "node:net";
import { messageOf, PegboardError } from "../core/error.ts";
import { readToken } from "../node/serve/token.ts";
import type { ServerAddress } from "./server-address.ts";

const PATIENCE_MS = 5_000;

/** What a server said. */
export interface ServerAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Where a server of this machine is asked. */
export function toUrl({ host, port }: ServerAddress): string {
  const here = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  return `http://${isIP(here) === 6 ? `[${here}]` : here}:${port}`;
}

/** Asks the server that runs, as the person whose token it has. Rejects with `unavailable` when none answers. */
export async function askServer(
  address: ServerAddress,
  home: string,
  method: "GET" | "POST",
  path: string,
): Promise<ServerAnswer> {
  const url = toUrl(address);
  const headers = { authorization: `Bearer ${readToken(home)}` };
  try {
    const answer = await fetch(url + path, { method, headers, signal: AbortSignal.timeout(PATIENCE_MS) });
    return { status: answer.status, body: (await answer.json()) as unknown };
  } catch (error) {
    const why = error instanceof Error && error.cause ? messageOf(error.cause) : messageOf(error);
    throw new PegboardError("unavailable", `No server answers at ${url}: ${why}. Start it with: pegboard serve`);
  }
}
