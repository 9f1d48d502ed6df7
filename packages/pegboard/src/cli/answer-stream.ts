import { type Terminal, visible } from "./terminal.ts";

/** Shows a text on a terminal as it comes. */
export interface AnswerStream {
  write(piece: string): void;
  /** Ends the line if one was begun. */
  end(): void;
}

/** Shows answers piece by piece, and nothing that a terminal would obey. A run has no secrets in its pieces. */
export function createAnswerStream(terminal: Pick<Terminal, "write">): AnswerStream {
  let isInLine = false;
  return {
    write(piece) {
      if (piece === "") return;
      terminal.write(visible(piece));
      isInLine = !piece.endsWith("\n");
    },
    end() {
      if (isInLine) terminal.write("\n");
      isInLine = false;
    },
  };
}
