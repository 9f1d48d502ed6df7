import { z } from "zod";

/** The input of every tool that is measured: five fields, nested, all of them checked. */
export interface SearchInput {
  readonly query: string;
  readonly limit: number;
  readonly filter: { readonly tags: readonly string[]; readonly since: string };
  readonly options: { readonly exact: boolean };
}

/** What is asked for in every call. */
export const INPUT = {
  query: "pegs and boards",
  limit: 10,
  filter: { tags: ["wood", "workshop"], since: "2026-01-01" },
  options: { exact: false },
} as const satisfies SearchInput;

/** What every call answers. */
export const ANSWER = await search(INPUT);

/** The work itself: next to nothing, so that what is measured is the way to it. */
export async function search({ query, limit, filter }: SearchInput): Promise<string> {
  return `${limit} results for ${query} since ${filter.since}`;
}

/** The name of tool number `index`. */
export function toolName(index: number): string {
  return `search_${index}`;
}

export const DESCRIPTION = "Search the catalogue";

/** The input schema. Every tool gets its own, as tools of different authors do. */
export function toSchema() {
  return {
    type: "object",
    properties: {
      query: { type: "string", minLength: 1, maxLength: 200 },
      limit: { type: "integer", minimum: 1, maximum: 100 },
      filter: {
        type: "object",
        properties: { tags: { type: "array", items: { type: "string" } }, since: { type: "string" } },
        required: ["tags", "since"],
        additionalProperties: false,
      },
      options: {
        type: "object",
        properties: { exact: { type: "boolean" } },
        required: ["exact"],
        additionalProperties: false,
      },
    },
    required: ["query", "limit", "filter", "options"],
    additionalProperties: false,
  } as const;
}

/** The same schema for what takes no JSON Schema, or does not check it. */
export function toZodSchema() {
  return z.strictObject({
    query: z.string().min(1).max(200),
    limit: z.int().min(1).max(100),
    filter: z.strictObject({ tags: z.array(z.string()), since: z.string() }),
    options: z.strictObject({ exact: z.boolean() }),
  });
}
