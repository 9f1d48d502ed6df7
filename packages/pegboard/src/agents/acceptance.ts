import type { Agent } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import { type FinalAnswer, outputInstructions, readAnswer } from "./answer.ts";
import { DEFAULT_REMINDERS, missing } from "./requirements.ts";
import type { RunState } from "./run-state.ts";

/** What the model is told of an answer that does not count. */
export interface Objection {
  readonly tell: string;
  readonly why: "reminder" | "repair";
}

/** What makes an answer of one run count: the agent did what it must, and the answer is of its output schema. */
export class Acceptance {
  readonly #agent: Pick<Agent, "requirements" | "output">;
  /** The tools that succeeded, and how often, where anybody asks. */
  readonly #done: Map<string, number> | undefined;
  #reminders: number;
  #repaired: boolean;

  /** `before` is how far the run was when its process ended. */
  constructor(agent: Pick<Agent, "requirements" | "output">, before?: RunState) {
    const { done, reminders = 0, repaired = false } = before ?? {};
    this.#agent = agent;
    this.#done = agent.requirements && new Map(done);
    this.#reminders = reminders;
    this.#repaired = repaired;
  }

  /** Counts a call that succeeded. */
  count(tool: string): void {
    this.#done?.set(tool, (this.#done.get(tool) ?? 0) + 1);
  }

  /** The answer if it counts, else what is missing. Throws `invalid_output` when the model was told often enough. */
  async judge(text: string): Promise<FinalAnswer | Objection> {
    const { requirements, output } = this.#agent;
    const undone = requirements && missing(requirements, this.#done!);
    if (requirements && undone !== undefined) {
      const { maxReminders = DEFAULT_REMINDERS, reminder } = requirements;
      if (this.#reminders++ >= maxReminders)
        throw new PegboardError(
          "invalid_output",
          `The agent did not do what it must, after ${maxReminders} reminders: ${undone}`,
        );
      return { tell: reminder ?? `You are not done. Before you answer: ${undone}.`, why: "reminder" };
    }
    if (!output) return { text };
    const answer = await readAnswer(text, output);
    if ("value" in answer) return { text, structured: answer.value };
    if (this.#repaired)
      throw new PegboardError("invalid_output", `The answer does not match the output schema:\n${answer.problem}`);
    this.#repaired = true;
    return { tell: `Your answer does not match: ${answer.problem}\n${outputInstructions(output)}`, why: "repair" };
  }
}
