import type { Agent, RunAnswer, RunView } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import { runChain } from "../core/hooks/chain.ts";
import { firstAnswer, type HookAnswer } from "../core/hooks/first-answer.ts";
import { runTurnGates } from "../core/hooks/gate.ts";
import { tellHooks } from "../core/hooks/observe.ts";
import { describeHook, type HookWatch } from "../core/hooks/run-hook.ts";
import type { Message, UserPart } from "../core/model.ts";
import type { AgentRun } from "./agent-run.ts";
import { type FinalAnswer, toFinalAnswer } from "./answer.ts";
import { textOf } from "./transcript.ts";
import { type RunEnd, toRunResult } from "./to-run-result.ts";

/** What hooks made of the message that a run begins with. */
export interface OpenedRun {
  readonly message: Message;
  /** What was asked, where it is something else now. */
  readonly prompt?: string;
  /** The answer of a hook: no model is asked. */
  readonly answer?: HookAnswer;
}

/** How hooks of a run are watched: what fails is in the log and among the run's warnings. */
export function toHookWatch(run: AgentRun): HookWatch {
  return {
    limits: run.workbench.limits,
    failed(failure) {
      run.mention("hook-end", failure);
      const { hook: point, plugin, error } = failure;
      const name = describeHook({ point, ...(plugin !== undefined && { plugin }) });
      run.warn(`The ${name} failed: ${error.message}`);
    },
  };
}

/** Tells hooks of a run that begins and of what it is asked, and lets them answer it, or else change the prompt. */
export async function openRun(
  run: AgentRun,
  agent: Agent,
  message: Message,
  { judges = false }: { readonly judges?: boolean },
): Promise<OpenedRun> {
  const { runStarted, message: heard, answerPrompt, changePrompt } = run.workbench.hooks;
  const watch = toHookWatch(run);
  const view = toRunView(run);
  const prompt = promptOf(message);
  run.isAnnounced = true;
  await tellHooks(runStarted, watch, (hook) => hook(view));
  await tellHooks(heard, watch, (hook) => hook(view, { role: "user", text: prompt }));
  // A verdict is the judge's own.
  if (judges) return { message };
  const answer = await firstAnswer(answerPrompt, watch, async (hook) => {
    const text = await hook(view, prompt);
    if (typeof text === "string") await toFinalAnswer(text, agent.output);
    return text;
  });
  if (answer) return { message, answer };
  const changed = await runChain(changePrompt, watch, prompt, (hook, text) => hook(view, text), toText);
  return changed === prompt ? { message } : { message: withPrompt(message, changed), prompt };
}

/** Asks the gates whether the model may be asked. Resolves to what it is to read too. Rejects with `denied`. */
export async function passTurnGates(
  run: AgentRun,
  model: string,
  last: Message | undefined,
): Promise<readonly string[]> {
  const turn = { ...toRunView(run), turn: run.turns + 1, model, text: last ? wordsOf(last) : "" };
  return runTurnGates(run.workbench.hooks.beforeTurn, turn, toHookWatch(run));
}

/** The answer of a run as hooks leave it. */
export async function changeAnswer(
  run: AgentRun,
  agent: Agent,
  answer: FinalAnswer,
  model: string | undefined,
): Promise<FinalAnswer> {
  const view = toRunView(run);
  return runChain(
    run.workbench.hooks.changeAnswer,
    toHookWatch(run),
    answer,
    (hook, { text }) => hook(view, toRunAnswer(run, text, model)),
    (changed) => toFinalAnswer(toText(changed), agent.output),
  );
}

/** Tells hooks how a run ended that they were told of. */
export async function tellEnd(run: AgentRun, end: RunEnd): Promise<void> {
  const { runEnded } = run.workbench.hooks;
  if (!run.isAnnounced || runEnded.length === 0) return;
  const { status, text, error } = toRunResult(run, end);
  const outcome = { ...toRunAnswer(run, text, run.model?.id), status, ...(error && { error }) };
  await tellHooks(runEnded, toHookWatch(run), (hook) => hook(toRunView(run), outcome));
}

function toRunView({ id, agent, workbench, parent, task }: AgentRun): RunView {
  return {
    id,
    agent,
    session: workbench.session.id,
    ...(parent && { parent: parent.id }),
    ...(task !== undefined && { task }),
  };
}

function toRunAnswer(run: AgentRun, text: string, model: string | undefined): RunAnswer {
  const { turns, calls, spending, startedAt } = run;
  const { input, output } = spending.usage;
  const ms = Math.round(performance.now() - startedAt);
  return {
    text,
    ...(model !== undefined && { model }),
    turns,
    calls,
    usage: { input, output },
    cost: spending.cost,
    ms,
  };
}

/** The words of the prompt, which stand behind all that is read before it. */
function promptOf({ role, ...message }: Message): string {
  const part = role === "user" ? (message as { readonly content: readonly UserPart[] }).content.at(-1) : undefined;
  return part?.type === "text" ? part.text : "";
}

function withPrompt(message: Message, text: string): Message {
  if (message.role !== "user") return message;
  return { ...message, content: [...message.content.slice(0, -1), { type: "text", text }] };
}

function wordsOf(message: Message): string {
  if (message.role !== "tool") return textOf(message.content);
  const texts = message.results.flatMap(({ content }) => content);
  return texts.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}

function toText(answer: unknown): string {
  if (typeof answer === "string") return answer;
  throw new PegboardError("invalid_output", "it gave an answer that is no text");
}
