import { PegboardError } from "../../core/error.ts";
import type { RunOptions } from "../../core/run.ts";
import { readAttachments } from "../attach.ts";
import type { CommandInput } from "../command.ts";
import { findRun } from "../find-run.ts";
import { toCommandRun } from "../command-run.ts";
import { readArguments, readPrompt } from "../prompt.ts";
import { openTrusted } from "../trusted.ts";
import { checkOutput, watchRun } from "../watched-run.ts";
import { closeWorkspace } from "../workspace.ts";

/** The options of the command, as they were typed. */
interface RunFlags {
  readonly model?: string;
  readonly attach?: readonly string[];
  readonly maxCost?: string;
  readonly maxTurns?: string;
  readonly hideDenied?: boolean;
  readonly session?: string;
  readonly continue?: string;
}

/** Runs an agent once, or a command of a plugin on its agent. The exit code says how it went. */
export async function run(input: CommandInput): Promise<number> {
  const { terminal, options } = input;
  const [named, words] = input.arguments as [string, readonly string[]];
  const flags = options as RunFlags;
  checkOutput(input);
  const given = readFlags(flags);
  const isCommand = named.startsWith("/");
  const written = isCommand ? await readArguments(words) : await readPrompt(named, words);
  if (options["server"] !== undefined) {
    if (isCommand) throw new PegboardError("invalid_config", `${named} is a command: a server takes agents only`);
    const { session, continue: before } = flags;
    const { runAtServer } = await import("../remote/run.ts");
    return runAtServer(input, { agent: named, prompt: written, options: given, session, before });
  }
  const opened = await openTrusted(input);
  const { workspace, tooStrict } = opened;
  try {
    if (tooStrict)
      throw new PegboardError("invalid_definition", `"${named}" was not run: not everything loaded (--strict)`);
    const { agent, prompt, ...rest } = isCommand
      ? await toCommandRun(workspace, named.slice(1), written)
      : { agent: named, prompt: written as string };
    const before =
      flags.continue === undefined ? undefined : await findRun(workspace.store, flags.continue, flags.session);
    const history = before && { continue: before.run };
    return await watchRun(input, opened, {
      agent,
      session: before?.session ?? flags.session,
      begin: (session, signal) => session.run(agent, prompt, { ...rest, ...given, ...history, signal }),
    });
  } finally {
    await closeWorkspace(workspace, terminal);
  }
}

function readFlags({ model, maxCost, maxTurns, attach = [], hideDenied = false }: RunFlags): RunOptions {
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
