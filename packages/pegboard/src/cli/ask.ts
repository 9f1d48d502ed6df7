import { createInterface } from "node:readline";

/**
 * Asks the person at the terminal, on standard error. Resolves to the trimmed answer in lower case; to "" when there is
 * none because the input ended or the signal fired.
 */
export function ask(question: string, signal?: AbortSignal): Promise<string> {
  // The terminal itself edits the line and turns Ctrl-C into a signal, as it does while a tool runs.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  return new Promise((resolve) => {
    const stop = () => lines.close();
    lines.once("line", (line) => {
      resolve(line.trim().toLowerCase());
      stop();
    });
    lines.once("close", () => {
      signal?.removeEventListener("abort", stop);
      resolve("");
    });
    signal?.addEventListener("abort", stop);
    process.stderr.write(question);
    if (signal?.aborted) stop();
  });
}

/** Asks for a yes; anything else is a no. */
export async function confirm(question: string, signal?: AbortSignal): Promise<boolean> {
  return ["y", "yes"].includes(await ask(`${question} [y/N] `, signal));
}
