import type { RunRecord } from "../../agents/session-records.ts";
import { PegboardError } from "../../core/error.ts";
import type { Workspace } from "../../node/workspace.ts";
import type { CommandInput } from "../command.ts";
import { openTrusted } from "../trusted.ts";
import { checkOutput, watchRun } from "../watched-run.ts";
import { closeWorkspace } from "../workspace.ts";

/** Goes on with a run whose process ended. The exit code says how it went. */
export async function resume(input: CommandInput): Promise<number> {
  const { terminal, options } = input;
  const [asked] = input.arguments as [string | undefined];
  const { model } = options as { readonly model?: string };
  checkOutput(input);
  const opened = await openTrusted(input);
  try {
    const { run, agent, session: id, prompt } = await find(asked, opened.workspace);
    terminal.note(`Going on with run ${run.slice(0, 8)} of agent "${agent}": ${prompt.slice(0, 80)}`);
    return await watchRun(input, opened, {
      agent,
      session: id,
      begin: (session, signal) => session.resume(run, { signal, ...(model !== undefined && { model }) }),
    });
  } finally {
    await closeWorkspace(opened.workspace, terminal);
  }
}

async function find(asked: string | undefined, { sessions }: Workspace): Promise<RunRecord> {
  const all = await sessions.runs();
  const meant = all.filter(({ session, run }) => session.startsWith(asked ?? "") || run.startsWith(asked ?? ""));
  const found = meant.find(({ status }) => status === "interrupted");
  if (found) return found;
  if (asked === undefined)
    throw new PegboardError("not_found", "No run was left in the middle: there is nothing to resume");
  const [newest] = meant;
  if (!newest) throw new PegboardError("not_found", `There is no session or run "${asked}" in the log`);
  const isBusy = newest.status === "running" || newest.status === "waiting";
  throw new PegboardError(
    isBusy ? "busy" : "not_found",
    isBusy
      ? `Run ${newest.run.slice(0, 8)} is at work in another process (${newest.status})`
      : `No run of "${asked}" was left in the middle; the last one is ${newest.status}. Go on from it with: pegboard run ${newest.agent} --continue ${newest.run.slice(0, 8)} …`,
  );
}
