import { createInterface } from "node:readline";
import type { ChatHistory } from "./chat-history.ts";
import { watchInterrupts } from "./interrupts.ts";

/** What came next: a prompt, Ctrl-C, or the end of the input. */
export type Typed = { readonly text: string } | "interrupt" | "end";

/** Where the prompts of a chat come from. Until it is disposed, Ctrl-C is its, or that of a turn. */
export interface PromptSource extends Disposable {
  next(): Promise<Typed>;
}

/** Prompts that a person types and edits at the terminal. Lines that come at once, as when they are pasted, are one. */
export function typedPrompts(question: string, history: ChatHistory): PromptSource {
  const interrupts = watchInterrupts();
  return {
    async next() {
      const line = editLine(question, history);
      try {
        return await interrupts.during(() => line.typed);
      } finally {
        line.close();
      }
    },
    [Symbol.dispose]: () => interrupts[Symbol.dispose](),
  };
}

/** Prompts that a program sends, one a line. */
export function pipedPrompts(): PromptSource {
  const interrupts = watchInterrupts();
  const lines = createInterface({ input: process.stdin });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    next: () =>
      interrupts.during<Typed>(async () => {
        const { value, done } = await iterator.next();
        return done ? "end" : { text: value };
      }),
    [Symbol.dispose]() {
      interrupts[Symbol.dispose]();
      lines.close();
    },
  };
}

// Made anew for each prompt: in between, questions are asked and Ctrl-C is a signal again.
function editLine(question: string, history: ChatHistory): { readonly typed: Promise<Typed>; close(): void } {
  const lines = createInterface({
    input: process.stdin,
    output: process.stderr,
    terminal: true,
    prompt: question,
    history: [...history.lines],
    historySize: history.most,
    removeHistoryDuplicates: true,
  });
  const typed = new Promise<Typed>((resolve) => {
    const parts: string[] = [];
    lines.on("history", (all) => history.keep(all));
    lines.on("SIGINT", () => {
      process.stderr.write("\n");
      resolve("interrupt");
    });
    lines.on("line", (line) => {
      parts.push(line);
      setImmediate(() => lines.line === "" && resolve({ text: parts.join("\n") }));
    });
    lines.on("close", () => resolve(parts.length > 0 ? { text: parts.join("\n") } : "end"));
    lines.prompt();
  });
  return { typed, close: () => lines.close() };
}
