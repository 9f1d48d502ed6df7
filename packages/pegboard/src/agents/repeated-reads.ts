import type { Result } from "@pegboard/contract";
import { messageOf } from "../core/error.ts";
import { canonicalJson } from "../core/json.ts";
import type { ModelCall } from "../core/model.ts";
import type { ToolTurn } from "../core/workbench.ts";
import type { AgentRun } from "./agent-run.ts";

/**
 * Which calls of one answer repeat an earlier one of it that only reads, with nothing between them that may change what is
 * read: the place of each, and of the call that it repeats.
 */
export function findRepeatedReads(calls: readonly ModelCall[], tools: ToolTurn): ReadonlyMap<number, number> {
  const repeats = new Map<number, number>();
  const seen = new Map<string, number>();
  for (const [index, { tool, input }] of calls.entries()) {
    if (!tools.onlyReads(tool)) {
      seen.clear();
      continue;
    }
    const key = canonicalJson([tool, input]);
    const first = seen.get(key);
    if (first === undefined) seen.set(key, index);
    else repeats.set(index, first);
  }
  return repeats;
}

/** Answers a call with a notice in place of what it repeats, on record like any other. Never rejects. */
export async function noticeRepeat(call: ModelCall, id: string, repeats: string, run: AgentRun): Promise<Result> {
  const { tool, input } = call;
  const result: Result = { ok: true, content: [{ type: "text", text: NOTICE }], meta: { repeats } };
  const about = { run: run.id, call: id, chain: run.chain };
  const { log } = run.workbench;
  try {
    void log.append("call-start", { tool, input, caller: "model" }, about);
    await log.append("call-end", { tool, ok: true, ms: 0, result }, about);
    return result;
  } catch (error) {
    return { ...result, meta: { repeats, unrecorded: messageOf(error) } };
  }
}

const NOTICE =
  "Not called again: this answer has made the very same call already, and it only reads. The result of that one stands.";
