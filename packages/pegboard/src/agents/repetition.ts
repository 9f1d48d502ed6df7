import type { ModelCall, ToolOutcome } from "../core/model.ts";
import { canonicalJson } from "../core/json.ts";

/** After so many equal turns with equal results the calls are no longer made, and after so many refusals the run ends. */
const EQUAL_TURNS = 3;
const REFUSALS = 2;

/** Notices a model that goes round in circles: turn after turn the same calls, with the same results. */
export class Repetition {
  #calls = "";
  #results = "";
  #equal = 0;
  #refused = 0;

  /** What to do with the calls of a turn: make them, refuse them, or end the run. */
  judge(calls: readonly ModelCall[]): "make" | "refuse" | "end" {
    const key = canonicalJson(calls.map(({ tool, input }) => [tool, input]));
    if (key !== this.#calls) {
      this.#calls = key;
      this.#results = "";
      this.#equal = 0;
      this.#refused = 0;
    }
    if (this.#equal < EQUAL_TURNS) return "make";
    return this.#refused++ < REFUSALS ? "refuse" : "end";
  }

  /** Takes notice of what the calls yielded: something else each time is no circle. */
  note(outcomes: readonly ToolOutcome[]): void {
    const results = canonicalJson(outcomes.map(({ ok, content }) => [ok, content]));
    this.#equal = results === this.#results ? this.#equal + 1 : 1;
    this.#results = results;
  }
}
