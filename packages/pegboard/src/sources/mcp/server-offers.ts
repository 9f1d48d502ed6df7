import type { Json, Prompt, PromptMessage, Resource, ResourceContent } from "@pegboard/contract";
import { messageOf } from "../../core/error.ts";
import type { Shelf, ShelfSource } from "../../core/shelf.ts";
import type { McpShare } from "./pool.ts";

/** Where the prompts and resources of servers are put. */
export interface OfferShelves {
  readonly prompts?: Pick<Shelf<Prompt>, "register">;
  readonly resources?: Pick<Shelf<Resource>, "register">;
}

/** What could be put there, until it is disposed, and what could not. */
export interface Offered extends Disposable {
  readonly warnings: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

const MOST = 1_000;
const MOST_PAGES = 100;
const NEVER = new AbortController().signal;

/** Puts the prompts and resources of a server on shelves. A server that does not list them has none. */
export async function offerServer(source: string, share: McpShare, shelves: OfferShelves): Promise<Offered> {
  const hung: Disposable[] = [];
  const warnings: string[] = [];
  const owner: ShelfSource = { plugin: source };
  const hang = (what: string, register: () => Disposable) => {
    try {
      hung.push(register());
    } catch (error) {
      warnings.push(`${what} is left out: ${messageOf(error)}`);
    }
  };
  const { prompts, resources } = shelves;
  if (prompts)
    for (const prompt of await list(share, "prompts/list", "prompts"))
      hang("a prompt", () => prompts.register(toPrompt(prompt, share), owner));
  if (resources) {
    const plain = await list(share, "resources/list", "resources");
    const forms = await list(share, "resources/templates/list", "resourceTemplates");
    for (const one of [...plain, ...forms]) hang("a resource", () => resources.register(toResource(one, share), owner));
  }
  return {
    warnings,
    [Symbol.dispose]() {
      for (const one of hung) one[Symbol.dispose]();
    },
  };
}

async function list(share: McpShare, method: string, field: string): Promise<readonly Fields[]> {
  const found: Fields[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && found.length < MOST; page++) {
    const params = cursor === undefined ? {} : { cursor };
    // Not every server has what is asked for.
    const answer = (await share.ask(method, params, { signal: NEVER }).catch(() => ({}))) as Fields;
    const items = answer[field];
    if (Array.isArray(items)) found.push(...items.filter(isNamed));
    if (typeof answer["nextCursor"] !== "string") break;
    cursor = answer["nextCursor"];
  }
  return found.slice(0, MOST);
}

function isNamed(value: unknown): value is Fields {
  return typeof (Object(value) as Fields)["name"] === "string";
}

function toPrompt({ name, description, arguments: given }: Fields, share: McpShare): Prompt {
  return {
    name: String(name),
    description: textOf(description) ?? "",
    arguments: Array.isArray(given) ? given.filter(isNamed).map(toArgument) : [],
    async get(values, context) {
      const params = { name: String(name), arguments: { ...values } };
      const { messages } = Object(await share.ask("prompts/get", params, context)) as { messages?: unknown };
      return Array.isArray(messages) ? (messages as PromptMessage[]) : [];
    },
    async complete(argument, value) {
      const ref = { type: "ref/prompt", name: String(name) };
      const params = { ref, argument: { name: argument, value } };
      const { completion } = Object(await share.ask("completion/complete", params, { signal: NEVER })) as Fields;
      const { values } = Object(completion) as { values?: unknown };
      return Array.isArray(values) ? values.map(String) : [];
    },
  };
}

function toArgument({ name, description, required }: Fields) {
  const said = textOf(description);
  return { name: String(name), required: required === true, ...(said !== undefined && { description: said }) };
}

function toResource({ name, description, mimeType, uri, uriTemplate }: Fields, share: McpShare): Resource {
  const said = textOf(description);
  const type = textOf(mimeType);
  return {
    name: String(name),
    ...(said !== undefined && { description: said }),
    ...(type !== undefined && { mimeType: type }),
    uri: String(uri ?? uriTemplate),
    async read(at, _values, signal) {
      const { contents } = Object(await share.ask("resources/read", { uri: at } as Json, { signal })) as Fields;
      return Array.isArray(contents) ? (contents as ResourceContent[]) : [];
    },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
