import type { ToInside } from "./protocol.ts";

/** The line to a process or thread in which tools run. */
export interface Channel {
  /** Sends a message. Throws when it is too big; what is sent after the end is lost. */
  send(message: ToInside): void;
  /** Asks it to end, then makes it. Resolves when nothing of it is left. */
  close(): Promise<void>;
  /** Ends it at once, whatever it does. */
  kill(): void;
  /** Whether this process waits for it before it ends. */
  hold(yes: boolean): void;
}

/** What a channel reports. */
export interface ChannelListener {
  /** A message of the inside: not to be trusted. */
  message(message: unknown): void;
  /** Text that the tools wrote to standard output or error. */
  output(text: string): void;
  /** It has ended, for a reason in words. Called once. */
  ended(reason: string): void;
}

const isSource = import.meta.url.endsWith(".ts");

/** The file that runs inside, of the source or of the build, which has it where its parts are. */
export const INSIDE = new URL(isSource ? "./inside-main.ts" : "../parts/inside-main.js", import.meta.url);

/** How a program ended, in words. */
export function describeEnd(code: number | null, signal: string | null): string {
  return signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
}
