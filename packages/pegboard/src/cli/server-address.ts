import { PegboardError } from "../core/error.ts";
import { readWorkspace } from "../node/read-workspace.ts";
import type { CommandInput } from "./command.ts";
import { toSettings } from "./settings.ts";

/** Where the server of a workspace listens, or is to listen. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The address: of the command line, else of the workspace, else the usual one. Rejects with `invalid_config`. */
export async function serverAddress({ options }: CommandInput): Promise<ServerAddress> {
  const { workspace, home } = toSettings(options);
  const { config } = await readWorkspace(workspace.value, { home: home.value });
  const { host = "127.0.0.1", port = 4747 } = config?.server ?? {};
  return { host: (options["host"] as string | undefined) ?? host, port: toPort(options["port"]) ?? port };
}

function toPort(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const port = /^\d{1,5}$/.test(String(given)) ? Number(given) : Infinity;
  if (port <= 65_535) return port;
  throw new PegboardError("invalid_config", `--port must be a number from 0 to 65535; it is "${String(given)}"`);
}
