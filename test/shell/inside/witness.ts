import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A program that was started, by what its stub wrote down. */
export interface Start {
  readonly argv: readonly string[];
  /** All that it could read from its standard input. */
  readonly stdin: string;
}

/**
 * A program that does nothing but write down how it was started, into the folder `$WITNESS`, and say that it was there. No
 * two starts use one name, though they may have the same number in namespaces of their own.
 */
export const STUB = `#!/bin/bash
IFS= read -r -d '' input
printf '%s\\0' "$input" "\${0##*/}" "$@" > "$WITNESS/$$-$EPOCHREALTIME-$RANDOM"
echo "\${0##*/} err" >&2
echo "\${0##*/} out"
`;

/** What the stubs wrote into a folder, in an order that does not depend on who was first. */
export function readStarts(folder: string): Start[] {
  const starts = readdirSync(folder).flatMap((file): Start[] => {
    const [stdin, ...argv] = readFileSync(join(folder, file), "utf8").split("\0").slice(0, -1);
    // One that went to the background may still be at it.
    return stdin === undefined || argv.length === 0 ? [] : [{ argv, stdin }];
  });
  return starts.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
