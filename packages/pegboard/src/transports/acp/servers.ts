import type { McpServer } from "@agentclientprotocol/sdk";
import type { Registry } from "../../core/registry.ts";

/** An MCP server that a client hands over. Nothing is filled in: `${NAME}` is text. */
export type HandedServer = { readonly literal: true } & (
  | {
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | { readonly url: string; readonly type: "http" | "sse"; readonly headers: Readonly<Record<string, string>> }
);

/** A server whose tools hang on a board until it is disposed. */
export interface HungServer extends Disposable {
  /** Its tools hang, or there is a problem. Never rejects. */
  readonly ready: Promise<void>;
  readonly problem: string | undefined;
}

/** Hangs the tools of a server on a board, as `name__tool`. */
export type HangServer = (board: Registry, name: string, server: HandedServer) => HungServer;

/** A server as it is handed over, in our words. A program runs in the folder. */
export function toHandedServer(server: McpServer, cwd: string): HandedServer {
  if ("url" in server) {
    const { url, type, headers } = server;
    return { literal: true, url, type, headers: toRecord(headers) };
  }
  const { command, args, env } = server;
  return { literal: true, command, args, env: toRecord(env), cwd };
}

function toRecord(pairs: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(pairs.map(({ name, value }) => [name, value]));
}
