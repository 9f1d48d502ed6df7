import { messageOf, PegboardError } from "../core/error.ts";
import type { RunResult } from "../core/run-result.ts";
import type { AgentRun } from "./agent-run.ts";
import type { FinalAnswer } from "./answer.ts";

/** How a run ended: with an answer, or with what was thrown. */
export type RunEnd = { readonly answer: FinalAnswer } | { readonly thrown: unknown };

/** What a run came to. */
export function toRunResult(run: AgentRun, end: RunEnd): RunResult {
  const { id, agent, workbench, spending, turns, calls, warnings } = run;
  const answer = "answer" in end ? end.answer : undefined;
  const error = "thrown" in end ? toRunError(end.thrown) : undefined;
  return {
    run: id,
    session: workbench.session.id,
    agent,
    status: !error ? "completed" : error.code === "cancelled" ? "cancelled" : "failed",
    text: answer?.text ?? run.text,
    ...(answer?.structured !== undefined && { structured: answer.structured }),
    usage: spending.usage,
    cost: spending.cost,
    turns,
    calls,
    ...(warnings.length > 0 && { warnings: [...warnings] }),
    ...(error && { error }),
  };
}

// What is not ours is nobody's tool: it should not have been thrown.
function toRunError(thrown: unknown): NonNullable<RunResult["error"]> {
  if (!(thrown instanceof PegboardError)) return { code: "internal", message: messageOf(thrown) };
  return { code: thrown.code, message: thrown.message };
}
