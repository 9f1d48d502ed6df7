import type { Result } from "@pegboard/contract";
import { Control } from "../core/control.ts";
import type { ModelCall, ToolOutcome } from "../core/model.ts";
import type { ToolTurn } from "../core/workbench.ts";
import { type AgentRun, unrecorded } from "./agent-run.ts";
import { findRepeatedReads, noticeRepeat } from "./repeated-reads.ts";
import type { Earlier } from "./take-up.ts";
import { callId, toOutcome } from "./transcript.ts";

/** How the calls of an answer are made. */
export interface MakeCallsOptions {
  /** What is known of them, of an answer that was left open. */
  readonly earlier?: ReadonlyMap<string, Earlier> | undefined;
  /** Whether one that only reads and repeats another of the same answer is answered with a notice. */
  readonly noticesRepeats?: boolean;
}

/**
 * Makes the calls of one answer. Those that change nothing run beside each other; one that may change something waits for
 * those before it, and those after it wait for it. One outcome for each call, in their order. Rejects when the run is
 * cancelled, and when an outcome could not be recorded, after all that run have ended. A call that has a result in
 * `earlier` is not made again.
 */
export async function makeCalls(
  calls: readonly ModelCall[],
  tools: ToolTurn,
  run: AgentRun,
  turn: number,
  done: (tool: string, result: Result) => void,
  { earlier, noticesRepeats = false }: MakeCallsOptions = {},
): Promise<ToolOutcome[]> {
  const repeats = noticesRepeats && calls.length > 1 ? findRepeatedReads(calls, tools) : undefined;
  const outcomes: ToolOutcome[] = [];
  const beside: Promise<void>[] = [];
  let lost: string | undefined;
  const make = async (call: ModelCall, index: number) => {
    const id = callId(run.id, turn, index);
    const { result: known, asked } = earlier?.get(id) ?? {};
    const first = repeats?.get(index);
    const make = () =>
      first === undefined
        ? tools.call({ id, tool: call.tool, input: call.input, control: new Control(run.control), asked })
        : noticeRepeat(call, id, callId(run.id, turn, first), run);
    const result = known ?? (await run.given.during(id, make));
    run.calls++;
    const { unrecorded: why } = result.meta;
    if (typeof why === "string") lost ??= why;
    done(call.tool, result);
    outcomes[index] = toOutcome(call, result.ok, result.content);
  };
  try {
    for (const [index, call] of calls.entries()) {
      const alone = !tools.runsBeside(call.tool);
      if (alone) await Promise.all(beside.splice(0));
      run.control.throwIfCancelled();
      if (alone) await make(call, index);
      else beside.push(make(call, index));
    }
  } finally {
    await Promise.all(beside);
  }
  if (lost !== undefined) throw unrecorded(lost);
  return outcomes;
}

/** The outcome of calls that are not made. */
export function refuseCalls(calls: readonly ModelCall[], why: string): ToolOutcome[] {
  return calls.map((call) => toOutcome(call, false, [{ type: "text", text: why }]));
}
