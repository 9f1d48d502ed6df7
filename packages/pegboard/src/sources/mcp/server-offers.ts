import type { Prompt, PromptMessage, Resource, ResourceContent, Tool } from "@pegboard/contract";
import { SEPARATOR } from "../../core/name.ts";
import type { AskContext } from "./ask-back.ts";
import { toToolName } from "./names.ts";
import type { McpShare } from "./pool.ts";
import { type Fields, isNamed } from "./read-offers.ts";
import type { Listing, McpTool } from "./read-tools.ts";

/** What a server brings besides its own tools, ready for the shelves. */
export interface ServerOffers {
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
  /** Reads its resources: so policy, limits and log hold for them as for its tools. Absent where there are none. */
  readonly reader?: Reader;
}

/** A tool that reads what a server has. */
export interface Reader {
  readonly definition: McpTool;
  execute: Tool["execute"];
}

/** What the offers of a server are made with. */
export interface ServerOffersDeps {
  readonly source: string;
  readonly share: Pick<McpShare, "ask">;
}

/** What the tool that reads resources is called; the second where the server has a tool of that name itself. */
const READERS = ["read_resource", "read_server_resource"];
const NEVER = new AbortController().signal;
/** Under these we ourselves are read. */
const OURS: readonly string[] = ["vfs", "result", "skill"];

/** Makes prompts and resources of what a server lists. Of several of one name or address the first counts. */
export function toServerOffers({ tools, offers }: Listing, deps: ServerOffersDeps): ServerOffers {
  const { source, share } = deps;
  const prompts = offers.prompts.map((one) => toPrompt(one, toToolName(String(one["name"]), source), share));
  const reader = READERS.find((name) => !tools.some((tool) => tool.name === name));
  const reachable = reader === undefined ? [] : offers.resources.filter(isReachable);
  const resources = distinct(
    reachable.map((one) => toResource(one, `${source}${SEPARATOR}${reader}`, share)),
    ({ uri }) => uri,
  );
  const taken = new Set<string>();
  return {
    prompts: distinct(prompts, ({ name }) => name),
    // Several may have one name: they are told apart by their addresses.
    resources: resources.map((one) => (taken.size < taken.add(one.name).size ? one : { ...one, name: one.uri })),
    ...(resources.length > 0 && { reader: toReader(reader!, deps) }),
  };
}

function distinct<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const seen = new Set<string>();
  return items.filter((item) => seen.size < seen.add(keyOf(item)).size);
}

/** Whether a resource has an address that can only be its server's. */
function isReachable({ uri, uriTemplate }: Fields): boolean {
  const [, scheme] = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(String(uri ?? uriTemplate)) ?? [];
  return scheme !== undefined && !OURS.includes(scheme.toLowerCase());
}

function toPrompt(fields: Fields, name: string, share: ServerOffersDeps["share"]): Prompt {
  const { name: remote, description, title, arguments: given } = fields;
  return {
    name,
    description: textOf(description) ?? textOf(title) ?? "",
    arguments: Array.isArray(given) ? given.filter(isNamed).map(toArgument) : [],
    async get(values, context) {
      const params = { name: String(remote), arguments: { ...values } };
      const { messages } = Object(await share.ask("prompts/get", params, context)) as Fields;
      return Array.isArray(messages) ? (messages as PromptMessage[]) : [];
    },
    async complete(argument, value) {
      const ref = { type: "ref/prompt", name: String(remote) };
      const params = { ref, argument: { name: argument, value } };
      const { completion } = Object(await share.ask("completion/complete", params, { signal: NEVER })) as Fields;
      const { values } = Object(completion) as Fields;
      return Array.isArray(values) ? values.map(String) : [];
    },
  };
}

function toArgument({ name, description, required }: Fields) {
  const said = textOf(description);
  return { name: String(name), required: required === true, ...(said !== undefined && { description: said }) };
}

function toResource(fields: Fields, tool: string, share: ServerOffersDeps["share"]): Resource {
  const { name, description, mimeType, uri, uriTemplate } = fields;
  const said = textOf(description);
  const type = textOf(mimeType);
  return {
    name: String(name),
    ...(said !== undefined && { description: said }),
    ...(type !== undefined && { mimeType: type }),
    uri: String(uri ?? uriTemplate),
    tool,
    read: (at, _values, signal) => readResource(at, share, { signal }),
  };
}

function toReader(name: string, { source, share }: ServerOffersDeps): Reader {
  return {
    definition: {
      name,
      description: `Read a resource of the MCP server "${source}" by its address`,
      inputSchema: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
    },
    async execute(input, context) {
      const { uri } = input as { uri: string };
      const contents = await readResource(uri, share, context);
      return { ok: true, content: contents.map((resource) => ({ type: "resource", resource: { uri, ...resource } })) };
    },
  };
}

async function readResource(
  uri: string,
  share: ServerOffersDeps["share"],
  context: AskContext,
): Promise<readonly ResourceContent[]> {
  const { contents } = Object(await share.ask("resources/read", { uri }, context)) as Fields;
  return Array.isArray(contents) ? (contents as ResourceContent[]) : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
