/** US dollars for a million tokens. */
export interface Rates {
  readonly input: number;
  readonly output: number;
  /** Of input that is read from a cache; as `input` when absent. */
  readonly cached?: number;
  /** Of input that is put into a cache; as `input` when absent. */
  readonly written?: number;
}

/** What a model costs; `over` is for requests with more tokens than that. */
export interface Price extends Rates {
  readonly over?: Rates & { readonly tokens: number };
}
