import type { Command } from "@pegboard/contract";

/** What stands in a prompt for what people wrote behind a command's name. `$10` and `$ARGUMENTSX` are something else. */
const PLACE = /\$(?:ARGUMENTS(?![A-Za-z0-9_])|([1-9])(?![0-9]))/g;

/**
 * The prompt of a command with its arguments, a text or its words, filled in once: what they hold is not filled in again.
 * Where the prompt has no place for them, they are added below it.
 */
export function fillCommand({ prompt }: Pick<Command, "prompt">, given: string | readonly string[]): string {
  const text = (typeof given === "string" ? given : given.join(" ")).trim();
  const words = typeof given === "string" ? wordsOf(text) : given;
  let used = false;
  const filled = prompt.replaceAll(PLACE, (_, position: string | undefined) => {
    used = true;
    return position === undefined ? text : (words[Number(position) - 1] ?? "");
  });
  return used || text === "" ? filled : `${filled}\n\n${text}`;
}

/** The words of a text; quotes keep several together. */
function wordsOf(text: string): string[] {
  return Array.from(
    text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g),
    ([, double, single, bare]) => double ?? single ?? bare!,
  );
}
