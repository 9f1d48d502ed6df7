import type { Recipe } from "../load-recipe.ts";

/** Code that yields tools, and how it is to run. */
export interface CodeSource {
  /** Comes back in `changed`. */
  readonly key: string;
  /** Sources with the same place and signature share a process. */
  readonly process: { readonly place: string; readonly signature: string; readonly label: string };
  readonly recipe: Recipe;
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Runs in this process. */
  readonly trusted: boolean;
}
