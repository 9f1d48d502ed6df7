import type { Result } from "@pegboard/contract";
import type { Blob } from "./blob.ts";
import type { Call, DispatchDeps } from "./call.ts";
import { cutResult, isTooLong, textOf, toWellFormed } from "./result.ts";
import { scopeProblem } from "./scope.ts";
import { detach } from "./utf8.ts";

/** A result that is not too long for its caller, and where the whole of it is kept, if it was cut. */
export interface Bounded {
  readonly result: Result;
  readonly blob?: Blob;
}

/**
 * The size stop: a result that is too long is kept whole, and its caller gets the beginning, with a handle for reading on
 * where the caller has the tool for it. When it cannot be kept, the beginning is all there is.
 */
export function boundResult(result: Result, call: Call, deps: DispatchDeps): Bounded | Promise<Bounded> {
  if (!isTooLong(result, deps.limits.resultCharacters)) return { result: toWellFormed(result) };
  return keepAndCut(result, call, deps);
}

async function keepAndCut(result: Result, call: Call, deps: DispatchDeps): Promise<Bounded> {
  const { resultCharacters, keptCharacters } = deps.limits;
  const text = textOf(result);
  const kept = text.length > keptCharacters ? detach(text.slice(0, keptCharacters)) : text;
  const blob = await deps.blobs.write(deps.session.id, call.id, kept).catch(() => undefined);
  const reader = deps.find("read_result");
  const handle = blob && reader && !scopeProblem(reader, call.caller) ? call.id : undefined;
  return { result: cutResult(result, resultCharacters, handle), ...(blob && { blob }) };
}
