import type { Redactor } from "../core/redact.ts";
import { type Terminal, visible } from "./terminal.ts";

/** Shows a text on a terminal as it comes. */
export interface AnswerStream {
  write(piece: string): void;
  /** Shows what was held back, and ends the line if one was begun. */
  end(): void;
}

/** Shows answers piece by piece: nothing that a terminal would obey, and no secret, though it may come in two pieces. */
export function createAnswerStream(terminal: Pick<Terminal, "write">, redactor: Redactor): AnswerStream {
  let replacing: ReturnType<Redactor["stream"]> | undefined;
  let isInLine = false;
  const show = (text: string) => {
    if (text === "") return;
    terminal.write(visible(text));
    isInLine = !text.endsWith("\n");
  };
  return {
    write(piece) {
      replacing ??= redactor.stream();
      show(replacing.write(piece));
    },
    end() {
      show(replacing?.end() ?? "");
      replacing = undefined;
      if (isInLine) terminal.write("\n");
      isInLine = false;
    },
  };
}
