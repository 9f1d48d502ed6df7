import type { Json } from "@pegboard/contract";
import type { Event } from "../../core/event.ts";
import type { RunOptions } from "../../core/run.ts";
import type { RunResult } from "../../core/run-result.ts";
import type { CommandInput } from "../command.ts";
import { interruptible } from "../interrupt.ts";
import { runExitCode, showRunResult } from "../run-result.ts";
import { createRunView } from "../run-view.ts";
import { createAnswering } from "./answer-requests.ts";
import { toRun } from "./remote-run.ts";
import { atServer } from "./server.ts";

/** What is run at a server. */
export interface RemoteRun {
  readonly agent: string;
  readonly prompt: Json;
  readonly options: Pick<RunOptions, "attachments" | "model" | "budget" | "maxTurns">;
  readonly session: string | undefined;
  /** The whole id of the run to go on with. */
  readonly before: string | undefined;
}

/** Runs an agent of a server. The exit code says how it went. */
export function runAtServer(
  input: CommandInput,
  { agent, prompt, options: given, session: id, before }: RemoteRun,
): Promise<number> {
  const { options, terminal } = input;
  const streamJson = options["streamJson"] === true;
  const streams = terminal.columns !== undefined && !options.quiet && !options.json && !streamJson;
  return atServer(input, async (client, settings) => {
    const session = await client.open(id === undefined ? {} : { id });
    const waits = settings.approve.value === "wait";
    const view = createRunView({ terminal, streams, waits: false });
    const onEvent = createAnswering({ client, settings, terminal, ...(!waits && { during: view.during }) });
    try {
      const { attachments, model, budget, maxTurns } = given;
      const params = {
        agent,
        prompt,
        continue: before ?? null,
        ...(attachments && { attachments }),
        ...(typeof model === "string" && { model }),
        ...(budget && { budget }),
        ...(maxTurns !== undefined && { maxTurns }),
      };
      const { result } = await interruptible(async (signal) => {
        const cancel = () => void session.cancel().catch(() => {});
        signal.addEventListener("abort", cancel);
        const events = client.stream("prompt", params, { session: session.id });
        const run = await toRun(events as AsyncGenerator<Event, RunResult, undefined>, { agent, cancel, onEvent });
        if (streamJson) for await (const event of run) terminal.print(JSON.stringify(event));
        else await view.follow(run);
        return run.result;
      });
      if (options.json) terminal.print(JSON.stringify(result, null, 2));
      const answered = streams || options.json === true || streamJson;
      showRunResult(result, terminal, { answered, also: `run ${result.run.slice(0, 8)}` });
      return runExitCode(result);
    } finally {
      if (id === undefined) await session.close().catch(() => {});
    }
  });
}
