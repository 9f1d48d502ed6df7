import type { Json } from "@pegboard/contract";
import type { Caller } from "./caller.ts";
import { checkInput } from "./dispatch.ts";
import { copyJson } from "./json.ts";
import type { Decision, Policy, Vote } from "./policy.ts";
import type { Registration } from "./registry.ts";
import { scopeProblem } from "./scope.ts";

/** What scope and policy say about a call, without making it. */
export async function explain(
  registration: Registration,
  input: Json,
  caller: Caller,
  policy: Policy,
): Promise<Decision> {
  const problem = scopeProblem(registration, caller);
  const votes: readonly Vote[] = problem ? [{ by: "scope", approval: "blocked", reason: problem.message }] : [];
  // Rules see the input with its defaults, as in a call; a wrong one is judged as it is.
  const checked = await checkInput(registration, copyJson(input)).catch(() => ({ json: copyJson(input) }));
  return policy.decide(registration, caller, checked.json, votes);
}
