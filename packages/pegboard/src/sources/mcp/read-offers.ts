import type { Json } from "@pegboard/contract";
import { exceeds } from "../../core/json.ts";

/** What a server lists besides tools, as it came: each has a name. */
export interface Offers {
  readonly prompts: readonly Fields[];
  /** Those with one address (`uri`), and those that have many (`uriTemplate`). */
  readonly resources: readonly Fields[];
}

/** An object of which nothing is checked. */
export type Fields = Readonly<Record<string, unknown>>;

/** What a server says it has. */
export interface OfferCapabilities {
  readonly prompts?: unknown;
  readonly resources?: unknown;
}

const MOST = 1_000;
const MOST_PAGES = 100;
/** Of one of them, in characters of JSON. */
const LONGEST = 64 * 1024;

/** Reads what a server offers besides tools, within limits. What cannot be had is not there: it must not hide the tools. */
export async function readOffers(
  { prompts, resources }: OfferCapabilities,
  ask: (method: string, params: Readonly<Record<string, string>>) => Promise<unknown>,
): Promise<Offers> {
  const [named, plain, forms] = await Promise.all([
    prompts ? list(ask, "prompts/list", "prompts") : [],
    resources ? list(ask, "resources/list", "resources") : [],
    resources ? list(ask, "resources/templates/list", "resourceTemplates") : [],
  ]);
  return { prompts: named, resources: [...plain, ...forms] };
}

async function list(ask: Parameters<typeof readOffers>[1], method: string, field: string): Promise<readonly Fields[]> {
  const found: Fields[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES && found.length < MOST; page++) {
    const answer = Object(await ask(method, cursor === undefined ? {} : { cursor }).catch(() => undefined)) as Fields;
    const items = answer[field];
    if (Array.isArray(items)) found.push(...items.filter(isUsable));
    if (typeof answer["nextCursor"] !== "string") break;
    cursor = answer["nextCursor"];
  }
  return found.slice(0, MOST);
}

function isUsable(value: unknown): value is Fields {
  try {
    return isNamed(value) && !exceeds(value as Json, LONGEST);
  } catch {
    // What is nested too deeply to be looked at.
    return false;
  }
}

/** Whether something has a name. */
export function isNamed(value: unknown): value is Fields {
  const { name } = Object(value) as Fields;
  return typeof name === "string" && name !== "";
}
