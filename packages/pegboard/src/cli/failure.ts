import type { Failure } from "@pegboard/contract";
import { type Terminal, visible } from "./terminal.ts";

/** Says why something failed, with its code. */
export function showFailure(terminal: Terminal, { code, message }: Pick<Failure, "code" | "message">): void {
  terminal.warn(`${terminal.style("red", "error")} (${code}): ${visible(message)}`);
}
