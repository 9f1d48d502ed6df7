import { existsSync } from "node:fs";
import { type Client, createClient, RemoteError } from "../../client/index.ts";
import { PegboardError } from "../../core/error.ts";
import { readToken, tokenFile } from "../../node/serve/token.ts";
import type { CommandInput } from "../command.ts";
import { type Settings, toSettings } from "../settings.ts";

/** Does a command at the server that it names. What the server refuses is thrown with its code. */
export async function atServer(
  { options }: CommandInput,
  work: (client: Client, settings: Settings) => Promise<number>,
): Promise<number> {
  const settings = toSettings(options);
  const url = toUrl(String(options["server"]));
  const token = tokenFor(url, settings.home.value);
  try {
    return await work(createClient({ url: url.href, ...(token !== undefined && { token }) }), settings);
  } catch (error) {
    if (error instanceof RemoteError) throw new PegboardError(error.code, error.message, { cause: error });
    throw error;
  }
}

function toUrl(text: string): URL {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url && /^https?:$/.test(url.protocol)) return url;
  throw new PegboardError(
    "invalid_config",
    `--server must be an address such as http://127.0.0.1:4747; it is "${text}"`,
  );
}

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The token of this person's own servers is for this machine alone: another must not learn it. */
function tokenFor({ hostname }: URL, home: string): string | undefined {
  if (process.env["PEGBOARD_TOKEN"]) return readToken(home);
  return LOOPBACK.test(hostname) && existsSync(tokenFile(home)) ? readToken(home) : undefined;
}
