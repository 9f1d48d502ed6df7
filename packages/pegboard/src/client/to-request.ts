import type { CommandType } from "../transports/native/command-types.ts";
import { ROUTES } from "../transports/native/routes.ts";

/** A command as HTTP carries it: `path` begins at the place where the protocol is mounted. */
export interface HttpCommand {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

/** Where a command goes, and what it takes along. */
export function toRequest(type: CommandType, params: object, session: string | undefined): HttpCommand {
  const [method = "", template = ""] = ROUTES[type].split(" ");
  const left = new Map<string, unknown>(Object.entries(params));
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = name === "session" ? session : left.get(name);
    left.delete(name);
    return encodeURIComponent(String(value));
  });
  if (method === "POST") return { method, path, body: JSON.stringify(Object.fromEntries(left)) };
  const given = [...left].filter(([, value]) => value !== undefined).map(([name, value]) => [name, String(value)]);
  const query = new URLSearchParams(Object.fromEntries(given) as Record<string, string>).toString();
  return { method, path: query === "" ? path : `${path}?${query}` };
}
