import { text as readAll } from "node:stream/consumers";
import { PegboardError } from "../core/error.ts";

/**
 * The prompt of a run: the words of the command line, else what comes through standard input, which `-` names as well.
 * Throws `invalid_config` when there is none.
 */
export async function readPrompt(agent: string, words: readonly string[]): Promise<string> {
  const named = words.length === 1 && words[0] === "-";
  const given = words.length > 0 && !named ? words.join(" ") : await readInput(named);
  if (given.trim() !== "") return given;
  throw new PegboardError(
    "invalid_config",
    `Agent "${agent}" needs a prompt: pegboard run ${agent} "What is in this folder?", or echo "…" | pegboard run ${agent}`,
  );
}

/** What stands behind the name of a command: its words, or what comes through standard input where that is named by `-`. */
export async function readArguments(words: readonly string[]): Promise<string | readonly string[]> {
  return words.length === 1 && words[0] === "-" ? readInput(true) : words;
}

// Nobody who left the prompt out waits at a terminal for being asked.
async function readInput(named: boolean): Promise<string> {
  if (process.stdin.isTTY && !named) return "";
  return (await readAll(process.stdin)).replace(/\r?\n$/, "");
}
