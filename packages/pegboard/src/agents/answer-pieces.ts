import type { SessionLog } from "../core/log.ts";
import type { AgentRun } from "./agent-run.ts";

/** Tells an answer as it comes, without the secrets in it, whichever way they are cut in pieces. */
export class AnswerPieces {
  readonly #run: AgentRun;
  readonly #turn: number;
  #words: ReturnType<SessionLog["pieces"]>;
  #thoughts: ReturnType<SessionLog["pieces"]>;

  constructor(run: AgentRun, turn: number) {
    const { log } = run.workbench;
    this.#run = run;
    this.#turn = turn;
    this.#words = log.pieces();
    this.#thoughts = log.pieces();
  }

  tell({ text, reasoning }: { readonly text?: string; readonly reasoning?: string }): void {
    if (text !== undefined) this.#emit({ text: this.#words.write(text) });
    if (reasoning !== undefined) this.#emit({ reasoning: this.#thoughts.write(reasoning) });
  }

  /** Tells what was held back. */
  end(): void {
    this.#emit({ reasoning: this.#thoughts.end() });
    this.#emit({ text: this.#words.end() });
  }

  /** Another try follows: what was told does not count, and what was held back is not told. */
  beginAgain(): void {
    const { log } = this.#run.workbench;
    this.#words = log.pieces();
    this.#thoughts = log.pieces();
  }

  #emit(piece: { readonly text: string } | { readonly reasoning: string }): void {
    if (("text" in piece ? piece.text : piece.reasoning) === "") return;
    this.#run.workbench.log.emit("model-delta", { turn: this.#turn, ...piece }, this.#run.about);
  }
}
