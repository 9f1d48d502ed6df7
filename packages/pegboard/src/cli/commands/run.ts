import { PegboardError } from "../../core/error.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { Run, RunOptions } from "../../core/run.ts";
import type { Session } from "../../core/session.ts";
import { policyFile } from "../../node/policy-file.ts";
import type { Workspace } from "../../node/workspace.ts";
import { toApprover } from "../approver.ts";
import { readAttachments } from "../attach.ts";
import type { CommandInput } from "../command.ts";
import { deniedTools, howToAllow } from "../denied-tools.ts";
import { findRun } from "../find-run.ts";
import { interruptible } from "../interrupt.ts";
import { readPrompt } from "../prompt.ts";
import { runExitCode, showRunResult } from "../run-result.ts";
import { createRunView, type RunView } from "../run-view.ts";
import type { Settings } from "../settings.ts";
import { openTrusted } from "../trusted.ts";
import { closeWorkspace } from "../workspace.ts";

/** The options of the command, as they were typed. */
interface RunFlags {
  readonly model?: string;
  readonly streamJson?: boolean;
  readonly attach?: readonly string[];
  readonly maxCost?: string;
  readonly maxTurns?: string;
  readonly hideDenied?: boolean;
  readonly session?: string;
  readonly continue?: string;
}

/** Runs an agent once. The exit code says how it went. */
export async function run(input: CommandInput): Promise<number> {
  const { terminal, options } = input;
  const [agent, words] = input.arguments as [string, readonly string[]];
  const flags = options as RunFlags;
  const given = readFlags(flags, options.json === true);
  const prompt = await readPrompt(agent, words);
  const { workspace, settings, tooStrict } = await openTrusted(input);
  try {
    if (tooStrict)
      throw new PegboardError("invalid_definition", `"${agent}" was not run: not everything loaded (--strict)`);
    const streams = await isStreamed(agent, workspace, input);
    const waits = settings.approve.value === "wait";
    const view = createRunView({ terminal, redactor: workspace.redactor, streams, waits });
    const { session, ...history } = await openSession(workspace, settings, flags, view, input);
    const { result: done } = await interruptible((signal) => {
      const started = session.run(agent, prompt, { ...given, ...history, signal });
      return finish(started, flags.streamJson ? { follow: (one) => printEvents(one, input) } : view);
    });
    const result = workspace.redactor.json(done.result);
    if (options.json) terminal.print(JSON.stringify(result, null, 2));
    const answered = streams || options.json === true || flags.streamJson === true;
    showRunResult(result, terminal, { answered, also: `run ${result.run.slice(0, 8)}` });
    const nobodyAsked = settings.approve.value === undefined && !terminal.interactive;
    if (nobodyAsked && done.denied.length > 0) terminal.note(howToAllow(done.denied, policyFile(settings.home.value)));
    return runExitCode(result);
  } finally {
    await closeWorkspace(workspace, terminal);
  }
}

function readFlags(flags: RunFlags, json: boolean): RunOptions {
  const { model, maxCost, maxTurns, attach = [], hideDenied = false, streamJson = false } = flags;
  if (json && streamJson)
    throw new PegboardError("invalid_config", "--json is one document, --stream-json one event a line: choose one");
  const usd = toNumber(maxCost, "--max-cost", "US dollars, such as 0.50", (value) => value > 0);
  const turns = toNumber(
    maxTurns,
    "--max-turns",
    "a whole number from 1 on",
    (value) => value >= 1 && Number.isInteger(value),
  );
  return {
    attachments: readAttachments(attach),
    hideDenied,
    ...(model !== undefined && { model }),
    ...(usd !== undefined && { budget: { usd } }),
    ...(turns !== undefined && { maxTurns: turns }),
  };
}

function toNumber(
  text: string | undefined,
  flag: string,
  what: string,
  fits: (value: number) => boolean,
): number | undefined {
  if (text === undefined) return undefined;
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && fits(value)) return value;
  throw new PegboardError("invalid_config", `${flag} must be ${what}; it is "${text}"`);
}

// A program gets the answer alone, at the end; one that is JSON is laid out for people too.
async function isStreamed(agent: string, { agents }: Workspace, { terminal, options }: CommandInput): Promise<boolean> {
  if (terminal.columns === undefined || options.quiet || options.json || options["streamJson"]) return false;
  const entry = await agents.find(agent).catch(() => undefined);
  return entry?.agent.output === undefined;
}

async function openSession(
  workspace: Workspace,
  settings: Settings,
  flags: RunFlags,
  view: RunView,
  { terminal }: CommandInput,
): Promise<{ readonly session: Session; readonly continue?: string }> {
  const before =
    flags.continue === undefined ? undefined : await findRun(workspace.store, flags.continue, flags.session);
  const id = before?.session ?? flags.session;
  const person = toApprover(settings, terminal);
  const session = workspace.open({
    client: "cli",
    ...(id !== undefined && { id }),
    ...(person && { approver: (request, given) => view.during(() => person(request, given)) }),
  });
  return { session, ...(before && { continue: before.run }) };
}

async function finish(
  started: Run,
  view: Pick<RunView, "follow">,
): Promise<{ readonly result: RunResult; readonly denied: readonly string[] }> {
  const [denied, result] = await Promise.all([deniedTools(started), started.result, view.follow(started)]);
  return { denied, result };
}

async function printEvents(started: Run, { terminal }: CommandInput): Promise<void> {
  for await (const event of started) terminal.print(JSON.stringify(event));
}
