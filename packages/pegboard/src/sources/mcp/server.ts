import type { McpServer } from "@pegboard/contract";
import { canonicalJson, sha256 } from "../../core/json.ts";

/** Whether a server is a program that is started, not an address. */
export function isProgram(server: McpServer): server is Extract<McpServer, { readonly command: string }> {
  return "command" in server;
}

/** A server in full, for a person who decides whether to trust it: what would run, or where everything would go. */
export function describeServer(server: McpServer): string {
  if (!isProgram(server)) {
    const headers = Object.entries(server.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    return `${server.url}${headers.length > 0 ? `, with ${headers.join(", ")}` : ""}`;
  }
  const env = Object.entries(server.env ?? {}).map(([name, value]) => `${name}=${value}`);
  const words = [server.command, ...(server.args ?? [])];
  return [
    `command: ${JSON.stringify(words)}`,
    ...(server.cwd === undefined ? [] : [`in ${server.cwd}`]),
    ...(env.length > 0 ? [`with ${env.join(", ")}`] : []),
  ].join(", ");
}

/** The digest of how a server is reached, as it is written: a change of it is another server. */
export function serverDigest(server: McpServer): Promise<string> {
  return sha256(canonicalJson(server));
}

/** What is wrong with the program of a server, or undefined. It is one program, which no shell reads. */
export function commandProblem(command: string): string | undefined {
  if (command.trim() === "") return "command is empty";
  if (/[&|;<>`\n\0]|\$\(/.test(command))
    return `command must be one program, and no shell reads it; it is ${JSON.stringify(command.slice(0, 200))}`;
  // A path may hold spaces; a bare name with a space behind it is a whole command line.
  const [first = ""] = command.split(/\s/, 1);
  if (first !== command && !/[/\\]/.test(first))
    return `command must be one program; write what stands behind it as args: ${JSON.stringify(command.slice(0, 200))}`;
  return undefined;
}

/** What is wrong with the address of a server, or undefined. */
export function urlProblem(url: string): string | undefined {
  const parsed = URL.parse(url);
  if (!parsed) return `url is not an address: ${JSON.stringify(url.slice(0, 200))}`;
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:")
    return `url must begin with https:// or http://, not ${parsed.protocol}`;
  if (parsed.username !== "" || parsed.password !== "")
    return "url must not hold a name and password: write them as headers, best by secret://name";
  return undefined;
}
