import type { Resource, ResourceContent } from "@pegboard/contract";
import type { Session } from "../../core/session.ts";
import type { Shelf } from "../../core/shelf.ts";
import type { McpResourceContent, McpResources } from "./resources.ts";

/** The resources that plugins and hosts bring. */
export function shelfResources(shelf: Pick<Shelf<Resource>, "list">): McpResources {
  const visible = (session: Session) =>
    shelf.list().flatMap(({ item, plugin }) => (plugin !== undefined && session.waitsFor(plugin) ? [] : item));
  const find = (session: Session, uri: string) => {
    for (const resource of visible(session)) {
      const values = match(resource.uri, uri);
      if (values) return { resource, values };
    }
    return undefined;
  };
  return {
    list: async (session) =>
      visible(session).flatMap(({ uri, ...rest }) => (isTemplate(uri) ? [] : { uri, ...described(rest) })),
    templates: (session) =>
      visible(session).flatMap(({ uri, ...rest }) => (isTemplate(uri) ? { uriTemplate: uri, ...described(rest) } : [])),
    async read(session, uri, signal) {
      const found = find(session, uri);
      if (!found) return undefined;
      const { resource, values } = found;
      const content = await resource.read(uri, values, signal);
      const all = Array.isArray(content)
        ? (content as readonly ResourceContent[])
        : [content as string | ResourceContent];
      return all.map((one) => toContent(one, uri, resource.mimeType));
    },
    watch: (session, uri, changed) => find(session, uri)?.resource.watch?.(uri, changed),
  };
}

type Described = Pick<Resource, "name" | "description" | "mimeType">;

function described({ name, description, mimeType }: Described): Described {
  return { name, ...(description !== undefined && { description }), ...(mimeType !== undefined && { mimeType }) };
}

function toContent(content: string | ResourceContent, uri: string, mimeType: string | undefined): McpResourceContent {
  const given = typeof content === "string" ? { text: content } : content;
  return { uri, ...(mimeType !== undefined && { mimeType }), ...given };
}

const PLACE = /\{(\w+)\}/;

function isTemplate(uri: string): boolean {
  return PLACE.test(uri);
}

/** The values that stand for the braces of an address, or undefined for one that is not of this form. */
function match(template: string, uri: string): Readonly<Record<string, string>> | undefined {
  const [start = "", ...parts] = template.split(PLACE);
  if (!uri.startsWith(start)) return undefined;
  const values: [string, string][] = [];
  let at = start.length;
  // Names and what stands behind them, by turns.
  for (let index = 0; index < parts.length; index += 2) {
    const behind = parts[index + 1]!;
    const end = behind === "" ? uri.length : uri.indexOf(behind, at);
    const value = decode(uri.slice(at, Math.max(at, end)));
    if (value === undefined) return undefined;
    values.push([parts[index]!, value]);
    at = end + behind.length;
  }
  return at === uri.length ? Object.fromEntries(values) : undefined;
}

function decode(part: string): string | undefined {
  if (part === "" || part.includes("/")) return undefined;
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
