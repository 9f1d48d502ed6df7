import type { CallView, Failure, Json, Result } from "@pegboard/contract";
import { type Approved, approve } from "./approve.ts";
import type { Blob } from "./blob.ts";
import { type Bounded, boundResult } from "./bound-result.ts";
import type { Call, DispatchDeps } from "./call.ts";
import { messageOf, PegboardError } from "./error.ts";
import { execute } from "./execute.ts";
import { runChain } from "./hooks/chain.ts";
import { type Gated, runCallGates, UNGATED } from "./hooks/gate.ts";
import type { HookWatch } from "./hooks/run-hook.ts";
import { cloneJson, copyJson } from "./json.ts";
import type { EventData, LoggedResult } from "./event.ts";
import { type About, WRITTEN } from "./log.ts";
import { toLogged } from "./logged-result.ts";
import { nearest } from "./nearest.ts";
import { blockedError, type Decision, isHarmless, mayRunAgain } from "./policy.ts";
import { redactResult } from "./redact-result.ts";
import type { Registration } from "./registry.ts";
import { toFailedResult, toResult } from "./result.ts";
import { type Checked, type CompiledSchema, describeProblems } from "./schema.ts";
import { scopeProblem } from "./scope.ts";
import { takesSecrets, withSecrets } from "./secret.ts";
import { ToolRun } from "./tool-run.ts";

/**
 * Takes one call through every stop, in this order and no other. Never rejects: whatever goes wrong is a result with an
 * error, and every call ends with exactly one `call-end`.
 */
export async function dispatch(call: Call, deps: DispatchDeps): Promise<Result> {
  const startedAt = performance.now();
  const about = toAbout(call);
  const bound = (whole: Result) => boundResult(redactResult(whole, deps.redactor), call, deps);
  let gated = UNGATED;
  let end: Bounded;
  try {
    const asked = recordStart(call, about, deps);
    const registration = resolve(call, deps);
    // The log keeps what was asked: whoever may change it gets a copy.
    const given = registration.input.changes ? cloneJson(asked.input) : asked.input;
    // What is there at once is not waited for: so the start and the intent of most calls go to the store together.
    const checking = registration.input.check(given);
    const checked = toCheckedInput(registration, given, checking instanceof Promise ? await checking : checking);
    const { beforeCall } = deps.hooks;
    if (beforeCall.length > 0)
      gated = await runCallGates(beforeCall, toView(call, checked.json, deps), toWatch(about, deps));
    const input = gated.input === undefined ? checked : await checkInput(registration, copyJson(gated.input));
    const deciding = deps.policy.decide(registration, call.caller, input.json, gated.votes);
    const decision = deciding instanceof Promise ? await deciding : deciding;
    if (decision.decision === "blocked") throw blockedError(registration.name, decision);
    const approved =
      decision.decision === "ask"
        ? await approve(
            gated.input === undefined ? call : { ...call, approved: undefined },
            registration,
            deps.redactor.json(input.json),
            deps.redactor.json(decision),
            about,
            deps,
          )
        : undefined;
    const leave = enterLimits(call, deps);
    try {
      const opening = deps.instance(registration);
      const instance = opening instanceof Promise ? await opening : opening;
      call.control.throwIfCancelled();
      await recordIntent(
        registration,
        decision,
        approved,
        gated.input === undefined ? undefined : input.json,
        asked.recorded,
        about,
        deps,
      );
      const running = execute(
        takesSecrets(registration) ? withSecrets(instance, deps) : instance,
        input.value === input.json ? cloneJson(input.value) : input.value,
        new ToolRun(call, registration, about, deps, dispatch),
      );
      const whole = toResult(running instanceof Promise ? await running : running);
      if (registration.output && whole.ok) await checkOutput(registration.name, registration.output, whole);
      const bounding = bound(whole);
      end = bounding instanceof Promise ? await bounding : bounding;
      const { afterCall } = deps.hooks;
      if (afterCall.length > 0) {
        const chained = await runChain(
          afterCall,
          toWatch(about, deps),
          end.result,
          (hook, result) => hook(toView(call, cloneJson(input.json), deps), structuredClone(result)),
          toReplacement,
        );
        if (chained !== end.result) end = { ...end, ...(await bound(chained)) };
      }
    } finally {
      leave();
    }
  } catch (error) {
    end = await bound(toFailedResult(error));
  }
  if (gated.notes.length > 0) end = { ...end, result: withNotes(end.result, gated, deps) };
  const ended = recordEnd(call, end, performance.now() - startedAt, about, deps);
  // To pass the promise on would take longer than to wait for it.
  return ended instanceof Promise ? await ended : ended;
}

function recordStart(
  { tool, input, caller }: Call,
  about: About,
  { log }: DispatchDeps,
): { input: Json; recorded: Promise<void> } {
  const record = (asked: Json) => log.append("call-start", { tool, input: asked, caller: caller.kind }, about);
  try {
    const asked = copyJson(input);
    return { input: asked, recorded: record(asked) };
  } catch (error) {
    void record(null);
    throw error;
  }
}

function resolve(call: Call, deps: DispatchDeps): Registration {
  const registration = deps.find(call.tool);
  if (!registration) throw unknownTool(call, deps);
  const blocked = deps.policy.blocksWholly(registration, call.caller);
  if (blocked) throw blockedError(registration.name, blocked);
  const problem = scopeProblem(registration, call.caller);
  if (problem) throw problem;
  return registration;
}

function unknownTool({ tool, caller }: Call, deps: DispatchDeps): PegboardError {
  const missing = deps.missing?.(tool);
  if (missing !== undefined) return new PegboardError("not_found", missing);
  const names = deps.names(caller);
  const near = nearest(tool, names);
  const some = names.slice(0, 20).join(", ") + (names.length > 20 ? `, and ${names.length - 20} more` : "");
  const hint = near ? ` Did you mean "${near}"?` : "";
  return new PegboardError(
    "not_found",
    `There is no tool named "${String(tool).slice(0, 200)}".${hint} Available: ${some || "none"}`,
  );
}

/** An input that passed the check of its schema. */
export interface CheckedInput {
  /** What rules, approvers, hooks and the log see. */
  readonly json: Json;
  /** What the tool gets: the same, or what its schema library made of it. */
  readonly value: unknown;
}

/** Checks an input, which it may change: pass a copy. Rejects with `invalid_input` and all problems. */
export async function checkInput(registration: Registration, asked: Json): Promise<CheckedInput> {
  return toCheckedInput(registration, asked, await registration.input.check(asked));
}

function toCheckedInput({ name }: Registration, asked: Json, checked: Checked): CheckedInput {
  if (checked.ok)
    return { json: checked.value === asked ? asked : toLoggable(checked.value, asked), value: checked.value };
  const details = checked.problems.slice(0, 20).map(({ path, message }) => ({ path, message }));
  throw new PegboardError(
    "invalid_input",
    `The input of "${name}" is not valid:\n${describeProblems(checked.problems)}`,
    { details },
  );
}

// A schema library may turn input into values that have no JSON form; then what was asked stands for them.
function toLoggable(value: unknown, asked: Json): Json {
  try {
    return copyJson(value);
  } catch {
    return asked;
  }
}

function enterLimits({ tool, parents }: Call, deps: DispatchDeps): () => void {
  const { depth } = deps.limits;
  if (parents.length > depth) {
    throw new PegboardError(
      "depth_limit",
      `The call of tool "${tool}" is nested ${parents.length} deep; the limit is ${depth}`,
    );
  }
  return deps.enter();
}

function recordIntent(
  registration: Registration,
  decision: Decision,
  approved: Approved | undefined,
  rewritten: Json | undefined,
  asked: Promise<void>,
  about: About,
  deps: DispatchDeps,
): Promise<void> {
  const { name, tool } = registration;
  const { process } = deps.log;
  const by = approved?.by ?? decision.by;
  const intent: EventData["execute-start"] = {
    tool: name,
    ...(tool.version !== undefined && { version: tool.version }),
    ...(rewritten !== undefined && { input: rewritten }),
    decision: decision.decision,
    by,
    ...(decision.rule !== undefined && { rule: decision.rule }),
  };
  if (approved) intent.cached = approved.cached;
  if (process !== undefined) intent.process = process;
  // Only a run goes on, and it knows of no calls but its own.
  if (about.run !== undefined && about.parent === undefined && mayRunAgain(registration)) intent.again = true;
  const recorded = deps.log.append("execute-start", intent, about);
  return recorded === WRITTEN && asked === WRITTEN ? WRITTEN : confirm(registration, asked, recorded);
}

async function confirm(registration: Registration, asked: Promise<void>, recorded: Promise<void>): Promise<void> {
  try {
    await recorded;
    // What was asked for is told by the call's start: an intent alone does not say what is about to happen. Mostly they
    // are written together, and there is one promise for both.
    if (asked !== recorded) await asked;
  } catch (error) {
    // What only reads may go on without a record; what has effects may not.
    if (isHarmless(registration)) return;
    throw new PegboardError(
      "unavailable",
      `Tool "${registration.name}" was not run: the call cannot be recorded (${messageOf(error)})`,
      { cause: error },
    );
  }
}

async function checkOutput(name: string, output: CompiledSchema, result: Result): Promise<void> {
  const checked = await output.check(cloneJson(result.structured ?? null));
  if (checked.ok) return;
  throw new PegboardError(
    "invalid_output",
    `The result of "${name}" does not match its output schema:\n${describeProblems(checked.problems)}`,
  );
}

function recordEnd(
  { tool }: Call,
  { result, blob }: Bounded,
  ms: number,
  about: About,
  { log, limits }: DispatchDeps,
): Result | Promise<Result> {
  const record = (logged: LoggedResult) => log.append("call-end", toEnd(tool, result, logged, ms, blob), about);
  const logging = toLogged(result, limits.loggedCharacters);
  const recorded = logging instanceof Promise ? logging.then(record) : record(logging);
  if (recorded === WRITTEN) return result;
  return recorded.then(
    () => result,
    // The effect has happened: hiding its result would be a second loss.
    (failure: unknown) => ({ ...result, meta: { ...result.meta, unrecorded: messageOf(failure) } }),
  );
}

function toEnd(
  tool: string,
  { ok, error }: Result,
  result: LoggedResult,
  exactMs: number,
  blob: Blob | undefined,
): EventData["call-end"] {
  const ms = Math.round(exactMs * 1000) / 1000;
  if (!error) return { tool, ok, ms, result, ...(blob && { blob }) };
  const { code, message } = error;
  return { tool, ok, ms, error: { code, message }, ...toBlocked(error), result, ...(blob && { blob }) };
}

function toBlocked({ code, details }: Failure): { decision: "blocked"; rule?: string } | undefined {
  if (code !== "blocked") return undefined;
  const { rule } = (details ?? {}) as { rule?: string };
  return { decision: "blocked", ...(rule !== undefined && { rule }) };
}

function toAbout({ id, parents, caller }: Call): About {
  const parent = parents.at(-1);
  const { agent } = caller;
  if (!agent && parent === undefined) return { call: id };
  return {
    ...(agent?.run !== undefined && { run: agent.run }),
    call: id,
    ...(parent !== undefined && { parent }),
    ...(agent && { chain: agent.chain }),
  };
}

function toWatch(about: About, { limits, log }: DispatchDeps): HookWatch {
  return { limits, failed: (failure) => void log.append("hook-end", failure, about) };
}

function toReplacement(answer: unknown): Result {
  if (Array.isArray((Object(answer) as Partial<Result>).content)) return toResult(answer);
  throw new PegboardError("invalid_output", "it returned something that is no result");
}

/** The result with what hooks want the model to read, behind all else: what is cut is not that. */
function withNotes(result: Result, { notes }: Gated, { redactor }: DispatchDeps): Result {
  const added = notes.map((note) => ({ type: "text" as const, text: redactor.text(note) }));
  return { ...result, content: [...result.content, ...added] };
}

function toView({ id, tool, caller }: Call, input: Json, { session }: DispatchDeps): CallView {
  return { id, tool, input, session: session.id, ...(caller.agent && { agent: caller.agent.name }) };
}
