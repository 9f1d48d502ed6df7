import type { RunResult } from "../core/run-result.ts";
import { EXIT, exitCodeOf } from "./exit-code.ts";
import { showFailure } from "./failure.ts";
import { type Terminal, visible, visibleLine } from "./terminal.ts";

/** How the result of a run is shown. */
export interface ShowRunOptions {
  /** Whether the answer is out already. */
  readonly answered: boolean;
  /** Said at the end of the line that tells what it took. */
  readonly also?: string;
}

/** Shows what a run came to: its answer on standard output; why it failed, and what it took, on standard error. */
export function showRunResult(result: RunResult, terminal: Terminal, { answered, also }: ShowRunOptions): void {
  const { status, error, warnings = [] } = result;
  if (status === "completed" && !answered) terminal.print(toAnswer(result, terminal));
  if (error) showFailure(terminal, error);
  for (const warning of warnings) terminal.note(`warning: ${visibleLine(warning)}`);
  if (result.turns === 0) return;
  const took = [describeWork(result), describeSpent(result), ...(also === undefined ? [] : [also])];
  terminal.note(terminal.style("dim", took.join(" · ")));
}

function toAnswer({ text, structured }: RunResult, { columns }: Terminal): string {
  if (structured !== undefined) return JSON.stringify(structured, null, 2);
  // A program gets the text as it is; a terminal would obey what is hidden in it.
  return (columns === undefined ? text : visible(text)).replace(/\n$/, "");
}

/** The exit code that says how a run went. */
export function runExitCode({ status, error, turns }: RunResult): number {
  if (status === "completed") return EXIT.done;
  if (status === "cancelled" || !error) return EXIT.interrupted;
  // What kept it from beginning was asked for wrongly: an agent or a run that is not there, an input that does not fit.
  const wrong = turns === 0 && ["not_found", "duplicate", "invalid_input"].includes(error.code);
  return wrong ? EXIT.usage : exitCodeOf(error.code);
}

/** Tokens and money, in words. */
export function describeSpent({ usage, cost }: Pick<RunResult, "usage" | "cost">): string {
  const [input, output] = [usage.input, usage.output].map((count) => count.toLocaleString("en-US"));
  return `${input} + ${output} tokens, ${describeCost(cost)}`;
}

/** US dollars, in words. */
export function describeCost(cost: number): string {
  return `$${cost === 0 ? 0 : cost.toFixed(4)}`;
}

/** Turns and calls, in words. */
export function describeWork({ turns, calls }: Pick<RunResult, "turns" | "calls">): string {
  return `${turns} ${turns === 1 ? "turn" : "turns"}, ${calls} ${calls === 1 ? "call" : "calls"}`;
}
