import { ResourceNotFoundError, type Server } from "@modelcontextprotocol/server";
import type { Session } from "../../core/session.ts";
import { readByTool } from "./read-by-tool.ts";
import type { McpSeat } from "./seat.ts";

/** Something that a client can read by its address. */
export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
}

/** Addresses of one form; what stands in braces is to be filled in. */
export interface McpResourceTemplate extends Omit<McpResource, "uri"> {
  readonly uriTemplate: string;
}

/** What is read at an address: a text, or bytes in base64. */
export type McpResourceContent = { readonly uri: string; readonly mimeType?: string } & (
  | { readonly text: string }
  | { readonly blob: string }
);

/** Where resources come from. */
export interface McpResources {
  list(session: Session): Promise<readonly McpResource[]>;
  templates?(session: Session): readonly McpResourceTemplate[];
  /** Undefined for an address that it does not know. */
  read(session: Session, uri: string, signal: AbortSignal): Promise<readonly McpResourceContent[] | undefined>;
  /** The tool that reads an address instead, called with its `uri`; undefined for what none reads. */
  tool?(session: Session, uri: string): string | undefined;
  /** Calls back whenever what is there changes; undefined for what does not say so. */
  watch?(session: Session, uri: string, changed: () => void): Disposable | undefined;
}

/** Lets a server offer resources of several places; the first that knows an address is read. */
export function serveResources(server: Server, seat: McpSeat, places: readonly McpResources[]): void {
  const { session, era } = seat;
  server.setRequestHandler("resources/list", async () => {
    const lists = await Promise.all(places.map((place) => place.list(session)));
    return { resources: lists.flat().map((resource) => ({ ...resource })) };
  });
  server.setRequestHandler("resources/templates/list", async () => {
    const templates = places.flatMap((place) => place.templates?.(session) ?? []);
    return { resourceTemplates: templates.map((template) => ({ ...template })) };
  });
  server.setRequestHandler("resources/read", async ({ params: { uri } }, context) => {
    for (const place of places) {
      const tool = place.tool?.(session, uri);
      if (tool !== undefined) return readByTool(server, seat, tool, uri, context);
      const contents = await place.read(session, uri, context.mcpReq.signal);
      if (contents) return { contents: contents.map((content) => ({ ...content })) };
    }
    throw new ResourceNotFoundError(uri);
  });
  if (era === "legacy") serveSubscriptions(server, session, places);
}

/** Tells a client of the old era when what it has subscribed to changes. */
function serveSubscriptions(server: Server, session: Session, places: readonly McpResources[]): void {
  let watched: Map<string, Disposable> | undefined;
  const drop = (uri: string) => {
    watched?.get(uri)?.[Symbol.dispose]();
    watched?.delete(uri);
  };
  const keep = (uri: string, watching: Disposable) => {
    // Not before there is something to end: servers come and go in a session.
    if (!watched) void session.closed.then(() => watched!.keys().forEach(drop));
    (watched ??= new Map()).set(uri, watching);
  };
  server.setRequestHandler("resources/subscribe", async ({ params: { uri } }) => {
    drop(uri);
    const changed = () => void server.sendResourceUpdated({ uri }).catch(() => {});
    for (const place of places) {
      const watching = place.watch?.(session, uri, changed);
      if (watching) keep(uri, watching);
      if (watching) break;
    }
    return {};
  });
  server.setRequestHandler("resources/unsubscribe", async ({ params: { uri } }) => {
    drop(uri);
    return {};
  });
}
