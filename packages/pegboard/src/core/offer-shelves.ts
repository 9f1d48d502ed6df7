import type { Prompt, Resource } from "@pegboard/contract";
import { messageOf } from "./error.ts";
import type { Shelf, ShelfSource } from "./shelf.ts";

/** Prompts and resources that come and go together. */
export interface Offered {
  readonly prompts: readonly Prompt[];
  readonly resources: readonly Resource[];
}

/** Where they are put; what has no place is left out. */
export interface OfferShelves {
  readonly prompts?: Pick<Shelf<Prompt>, "register">;
  readonly resources?: Pick<Shelf<Resource>, "register">;
}

/** Puts prompts and resources on their shelves, until it is disposed. What cannot be put there is a problem, in words. */
export function shelveOffers(
  { prompts, resources }: Offered,
  shelves: OfferShelves,
  source: ShelfSource,
): Disposable & { readonly problems: readonly string[] } {
  const hung: Disposable[] = [];
  const problems: string[] = [];
  const put = <T>(items: readonly T[], shelf: { register(item: T, source: ShelfSource): Disposable } | undefined) => {
    if (!shelf) return;
    for (const item of items) {
      try {
        hung.push(shelf.register(item, source));
      } catch (error) {
        problems.push(messageOf(error));
      }
    }
  };
  put(prompts, shelves.prompts);
  put(resources, shelves.resources);
  return {
    problems,
    [Symbol.dispose]() {
      for (const one of hung) one[Symbol.dispose]();
    },
  };
}
