import { messageOf } from "../core/error.ts";
import type { HookAnswer } from "../core/hooks/first-answer.ts";
import type { RunOptions } from "../core/run.ts";
import type { AgentRun } from "./agent-run.ts";
import type { PreparedRun } from "./prepare-run.ts";
import type { OpenedRun } from "./run-hooks.ts";
import { toGiven } from "./run-request.ts";
import { type RunEnd, toRunResult } from "./to-run-result.ts";

/** Puts on record that a run begins, with all that it takes to go on with it. Rejects when that cannot be written. */
export async function recordStart(
  run: AgentRun,
  { agent, model }: PreparedRun,
  { message, prompt }: OpenedRun,
  options: RunOptions,
): Promise<void> {
  const { continue: before } = options;
  const { process } = run.workbench.log;
  const given = toGiven(options);
  await run.record("run-start", {
    agent: agent.name,
    model: model.id,
    message,
    ...(prompt !== undefined && { prompt }),
    depth: run.chain.length - 1,
    ...(before !== undefined && { continues: before }),
    ...(process !== undefined && { process }),
    ...(given && { given }),
    ...(run.task !== undefined && { task: run.task }),
  });
}

/** Puts an answer on record that a hook gave in the model's place. It counts as a turn: whatever goes on from here reads it. */
export async function recordAnswer(run: AgentRun, { text, by }: HookAnswer): Promise<void> {
  run.turns++;
  run.text = text;
  await run.record("turn-end", {
    turn: run.turns,
    message: { role: "assistant", content: [{ type: "text", text }] },
    reason: "stop",
    usage: { input: 0, output: 0 },
    ms: 0,
    by,
  });
}

/** Puts on record how a run ended. Never rejects. */
export async function recordEnd(run: AgentRun, end: RunEnd): Promise<void> {
  const { run: _, session: __, ...data } = toRunResult(run, end);
  try {
    await run.workbench.log.append("run-end", data, run.about);
  } catch (error) {
    // The answer is there: hiding it would be a second loss.
    run.warn(`The end of the run could not be recorded (${messageOf(error)})`);
  }
}
