import { PegboardError } from "../core/error.ts";
import type { RunResult } from "../core/run-result.ts";
import type { Run } from "../core/run.ts";
import type { Session } from "../core/session.ts";
import { policyFile } from "../node/policy-file.ts";
import type { Workspace } from "../node/workspace.ts";
import { toApprover } from "./approver.ts";
import type { CommandInput } from "./command.ts";
import { deniedTools, howToAllow } from "./denied-tools.ts";
import { interruptible } from "./interrupt.ts";
import { runExitCode, showRunResult } from "./run-result.ts";
import { createRunView, type RunView } from "./run-view.ts";
import type { Opened } from "./workspace.ts";

/** A run that a command is to show. */
export interface WatchedRun {
  readonly agent: string;
  /** The session that it is in; by default a new one. */
  readonly session?: string | undefined;
  begin(session: Session, signal: AbortSignal): Run | Promise<Run>;
}

/** Throws `invalid_config` when a command was asked to print in two ways. */
export function checkOutput({ options }: CommandInput): void {
  if (options.json && options["streamJson"])
    throw new PegboardError("invalid_config", "--json is one document, --stream-json one event a line: choose one");
}

/** Shows a run until it ends, and what it came to. Resolves to the exit code that says how it went. */
export async function watchRun(input: CommandInput, opened: Opened, watched: WatchedRun): Promise<number> {
  const { terminal, options } = input;
  const { workspace, settings } = opened;
  const streamJson = options["streamJson"] === true;
  const streams = await isStreamed(watched.agent, workspace, input);
  const waits = settings.approve.value === "wait";
  const view = createRunView({ terminal, streams, waits });
  const person = toApprover(settings, terminal);
  const session = workspace.open({
    client: "cli",
    ...(watched.session !== undefined && { id: watched.session }),
    ...(person && { approver: (request, given) => view.during(() => person(request, given)) }),
  });
  const { result: done } = await interruptible(async (signal) =>
    finish(await watched.begin(session, signal), streamJson ? { follow: (one) => printEvents(one, input) } : view),
  );
  const result = workspace.redactor.json(done.result);
  if (options.json) terminal.print(JSON.stringify(result, null, 2));
  const answered = streams || options.json === true || streamJson;
  showRunResult(result, terminal, { answered, also: `run ${result.run.slice(0, 8)}` });
  const nobodyAsked = settings.approve.value === undefined && !terminal.interactive;
  if (nobodyAsked && done.denied.length > 0) terminal.note(howToAllow(done.denied, policyFile(settings.home.value)));
  return runExitCode(result);
}

// A program gets the answer alone, at the end; one that is JSON is laid out for people too.
async function isStreamed(agent: string, { agents }: Workspace, { terminal, options }: CommandInput): Promise<boolean> {
  if (terminal.columns === undefined || options.quiet || options.json || options["streamJson"]) return false;
  const entry = await agents.find(agent).catch(() => undefined);
  return entry?.agent.output === undefined;
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
