import type { Load } from "../install.ts";

/** How a library reaches the server: it starts a program, or asks an address with a token. */
export type Reach =
  | {
      readonly command: string;
      readonly args: string[];
      readonly env: Record<string, string>;
      readonly cwd: string;
      readonly url?: never;
    }
  | { readonly url: string; readonly headers: Record<string, string> };

/** A tool as the library hands it to a model. */
export interface LibraryTool {
  readonly name: string;
  readonly schema: unknown;
}

/** A client of some library, as far as it is used here. */
export interface LibraryClient {
  /** The tools as they are now. */
  list(): Promise<readonly LibraryTool[]>;
  /** What the library makes of a result, for the model or the program. A failure may be a value or be thrown. */
  call(tool: string, input: object, signal?: AbortSignal): Promise<unknown>;
  close(): Promise<unknown>;
}

/** A library of others with which programs use MCP. */
export interface Library {
  readonly title: string;
  /** On which lines its signal ends the call on the server. */
  readonly cancels: readonly Line[];
  /** Lists the tools once, and keeps to it. */
  readonly listsOnce?: true;
  open(load: Load, reach: Reach): Promise<LibraryClient>;
}

/** What lies between client and server. */
export type Line = "standard streams" | "HTTP";
