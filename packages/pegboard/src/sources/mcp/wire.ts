import type { Transport } from "@modelcontextprotocol/client";

/** The line to one server. It is opened once; whoever wants another connection opens another. */
export interface Wire extends Transport {
  /** What the other side said last besides messages, for whoever wants to know why it ended. */
  lastWords?(): string | undefined;
  /** Whether this process stays alive for it. */
  hold?(yes: boolean): void;
}

/** The most that a server may send as one message, in bytes. */
export const MAX_MESSAGE = 16 * 1024 * 1024;
