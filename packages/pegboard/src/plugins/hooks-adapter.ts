import type { Hooks, RunAnswer, ThreadHooks, ThreadResult, Verdict } from "@pegboard/contract";

/** What adapting the hooks of a plugin needs. */
export interface AdaptHooksDeps {
  /** The plugin. */
  readonly name: string;
  /** Hears what a person should know of its hooks. */
  note(message: string): void;
}

/**
 * The hooks that a plugin returned, of both ways to write them, as one. Where it has both for one point, ours counts. What is
 * not known is noted and left out.
 */
export function adaptHooks(returned: Hooks | ThreadHooks | undefined, deps: AdaptHooksDeps): Hooks {
  const given = (returned ?? {}) as Hooks & ThreadHooks & Readonly<Record<string, unknown>>;
  for (const key of Object.keys(given)) {
    if (/^on[A-Z]/.test(key) && !KNOWN.includes(key))
      deps.note(`Plugin "${deps.name}" has the hook "${key}", which is not known and never called`);
  }
  return KNOWN.some((key) => key in given) ? Object.assign(fromThreadHooks(given, deps), given) : given;
}

const KNOWN: readonly string[] = [
  "onPipelineStart",
  "onMessage",
  "onIntentClassify",
  "onBeforeInvoke",
  "onAfterInvoke",
  "onPipelineComplete",
  "onTaskCreate",
  "onTaskComplete",
  "onTaskFailed",
  "onBroadcast",
  "onSettingsChange",
] satisfies (keyof ThreadHooks)[];

/** One entry for each hook that is there: a point that nothing listens at costs nothing. */
function fromThreadHooks(given: ThreadHooks, { name, note }: AdaptHooksDeps): Hooks {
  return {
    ...(given.onPipelineStart && { runStarted: (run) => given.onPipelineStart!(run.session, { traceId: run.id }) }),
    ...(given.onMessage && { message: (run, { role, text }) => given.onMessage!(run.session, role, text) }),
    ...(given.onIntentClassify && {
      async answerPrompt(run, prompt) {
        const { handled, response } = Object(await given.onIntentClassify!(run.session, prompt)) as {
          readonly handled?: unknown;
          readonly response?: unknown;
        };
        return handled === true ? String(response ?? "Done.") : undefined;
      },
    }),
    ...(given.onBeforeInvoke && { changePrompt: (run, prompt) => given.onBeforeInvoke!(run.session, prompt) }),
    ...(given.onAfterInvoke && {
      // It only listens, and only where a model was asked: what it returns is not the answer.
      async changeAnswer(run, answer) {
        if (answer.model !== undefined) await given.onAfterInvoke!(run.session, toThreadResult(answer));
      },
    }),
    ...(given.onPipelineComplete && {
      runEnded: (run, outcome) =>
        given.onPipelineComplete!(run.session, { invokeResult: toThreadResult(outcome, outcome.error?.message) }),
    }),
    ...(given.onTaskCreate && { taskCreated: (task) => given.onTaskCreate!(task.session, task.id) }),
    ...(given.onTaskComplete && {
      async validateTask(task, result) {
        const answer: unknown = await given.onTaskComplete!(task.session, task.id, result);
        if (answer === undefined || answer === null || isVerdict(answer)) return answer ?? undefined;
        note(`Hook "onTaskComplete" of plugin "${name}" returned no verdict: its answer is not counted`);
        return undefined;
      },
    }),
    ...(given.onTaskFailed && {
      taskFailed: (task, reason) => given.onTaskFailed!(task.session, task.id, new Error(reason)),
    }),
    ...(given.onBroadcast && { broadcast: (topic, data) => given.onBroadcast!(topic, data) }),
    ...(given.onSettingsChange && { settingsChanged: () => given.onSettingsChange!(name) }),
  } satisfies Hooks;
}

function toThreadResult({ text, ms, model, usage }: RunAnswer, error?: string): ThreadResult {
  return {
    output: text,
    durationMs: ms,
    exitCode: error === undefined ? 0 : 1,
    ...(error !== undefined && { error }),
    ...(model !== undefined && { model }),
    inputTokens: usage.input,
    outputTokens: usage.output,
  };
}

function isVerdict(answer: unknown): answer is Verdict | string {
  if (typeof answer === "string") return /^\s*VERDICT:/im.test(answer);
  return typeof (Object(answer) as { accepted?: unknown }).accepted === "boolean";
}
