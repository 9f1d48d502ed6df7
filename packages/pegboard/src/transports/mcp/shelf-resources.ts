import type { Resource, ResourceContent } from "@pegboard/contract";
import type { Session } from "../../core/session.ts";
import type { Shelf } from "../../core/shelf.ts";
import type { McpResourceContent, McpResources } from "./resources.ts";

/** The resources that plugins, hosts and MCP servers bring. */
export function shelfResources(shelf: Pick<Shelf<Resource>, "list">): McpResources {
  const visible = (session: Session) => {
    const tools = new Set(session.list().map(({ name }) => name));
    return shelf.list().flatMap(({ item, plugin }) => {
      if (plugin !== undefined && session.waitsFor(plugin)) return [];
      // What a session may not call, it may not read.
      return item.tool === undefined || tools.has(item.tool) ? item : [];
    });
  };
  const find = (session: Session, uri: string) => {
    const all = visible(session);
    const exact = isTemplate(uri) ? undefined : all.find((resource) => resource.uri === uri);
    if (exact) return { resource: exact, values: {} };
    for (const resource of all) {
      const values = resource.tool === undefined ? match(resource.uri, uri) : matchLoosely(resource.uri, uri);
      if (values) return { resource, values };
    }
    return undefined;
  };
  return {
    list: async (session) =>
      visible(session).flatMap(({ uri, ...rest }) => (isTemplate(uri) ? [] : { uri, ...described(rest) })),
    templates: (session) =>
      visible(session).flatMap(({ uri, ...rest }) => (isTemplate(uri) ? { uriTemplate: uri, ...described(rest) } : [])),
    tool: (session, uri) => find(session, uri)?.resource.tool,
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
  return /\{[^{}]+\}/.test(uri);
}

/** Whether an address could be of this form, whatever the braces mean: the server that it belongs to knows. */
function matchLoosely(template: string, uri: string): Readonly<Record<string, string>> | undefined {
  if (!isTemplate(template)) return undefined;
  const start = template.slice(0, template.indexOf("{"));
  const end = template.slice(template.lastIndexOf("}") + 1);
  const isOne = uri.length >= start.length + end.length && uri.startsWith(start) && uri.endsWith(end);
  return isOne ? {} : undefined;
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
