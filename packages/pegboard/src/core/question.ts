import type { Json } from "@pegboard/contract";
import { coveredBy, summarize } from "./approve.ts";
import type { DispatchDeps } from "./call.ts";
import type { Caller } from "./caller.ts";
import { type CheckedInput, checkInput } from "./dispatch.ts";
import { copyJson } from "./json.ts";
import { definitionDigest, type Registration } from "./registry.ts";
import { scopeProblem } from "./scope.ts";

/** What somebody is asked about a call. */
export interface Question {
  readonly summary: string;
  readonly reason: string;
  /** Of the tool's definition: an answer holds only while it stays the same. */
  readonly digest: string;
}

/** What somebody would be asked before the call runs, without making it; undefined when nobody would. Never rejects. */
export async function question(
  registration: Registration,
  input: Json,
  caller: Caller,
  deps: DispatchDeps,
): Promise<Question | undefined> {
  if (scopeProblem(registration, caller)) return undefined;
  let checked: CheckedInput;
  try {
    checked = await checkInput(registration, copyJson(input));
  } catch {
    // Nobody is asked about an input that is refused anyway.
    return undefined;
  }
  const decision = deps.redactor.json(await deps.policy.decide(registration, caller, checked.json));
  const json = deps.redactor.json(checked.json);
  if (decision.decision !== "ask" || (await coveredBy(registration, json, decision, deps))) return undefined;
  return {
    summary: deps.redactor.text(await summarize(registration, json)),
    reason: decision.reason,
    digest: await definitionDigest(registration),
  };
}
