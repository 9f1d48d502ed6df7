/** What is read at an address: text, or bytes in base64. */
export type ResourceContent = { readonly uri?: string; readonly mimeType?: string } & (
  | { readonly text: string }
  | { readonly blob: string }
);

/** Something that clients can read by its address. */
export interface Resource {
  readonly name: string;
  readonly description?: string;
  readonly mimeType?: string;
  /** Its address, or that of many: what stands in braces, such as `{id}`, is one part of a path. */
  readonly uri: string;
  /**
   * The tool that reads it, called with its `uri`: then a session has the resource where it has the tool, and policy decides
   * about it as about that. It returns blocks of the type `resource`.
   */
  readonly tool?: string;
  /** What is there now. The values are those that stand for the braces. */
  read(
    uri: string,
    values: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ):
    | string
    | ResourceContent
    | readonly ResourceContent[]
    | Promise<string | ResourceContent | readonly ResourceContent[]>;
  /** Calls back whenever what is there changes, until it is disposed. */
  watch?(uri: string, changed: () => void): Disposable;
}
