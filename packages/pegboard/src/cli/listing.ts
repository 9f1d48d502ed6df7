import type { Cell } from "./table.ts";

/** What is shown of a list, for programs and for people. */
export interface Listing {
  readonly json: object;
  readonly rows: readonly (readonly Cell[])[];
  /** Whether something was said about it that `--strict` takes for a failure. */
  readonly odd?: boolean;
}
