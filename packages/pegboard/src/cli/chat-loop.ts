import { messageOf, PegboardError } from "../core/error.ts";
import type { RunResult } from "../core/run-result.ts";
import type { Run } from "../core/run.ts";
import { type ChatCommand, type ChatPrompt, type ChatState, parseChatCommand, type Spent } from "./chat-commands.ts";
import { EXIT } from "./exit-code.ts";
import { showFailure } from "./failure.ts";
import { interruptible } from "./interrupt.ts";
import type { PromptSource } from "./prompt-source.ts";
import { describeSpent, runExitCode, showRunResult } from "./run-result.ts";
import type { RunView } from "./run-view.ts";

/** What of a chat its loop sees. */
export type HeldChat = Pick<ChatState, "terminal" | "spent">;

/** What a chat is held with, besides its state. */
export interface ChatLoopDeps {
  /** Says something to the agent. The signal cancels its run. */
  send(said: ChatPrompt, signal: AbortSignal): Promise<Run>;
  /** Obeys a command. "leave" is the end of the chat; rejects when it cannot be obeyed. */
  obey(command: ChatCommand): Promise<"leave" | "stay" | ChatPrompt>;
  /** Takes out of a result what must not be shown. */
  redact(result: RunResult): RunResult;
  readonly prompts: PromptSource;
  readonly view: RunView;
  /** Whether answers are shown as they come. */
  readonly streams: boolean;
}

/**
 * Takes prompts and commands until somebody leaves. Resolves to the exit code: how the last prompt went where a program
 * talks, and that Ctrl-C was pressed twice.
 */
export async function holdChat(state: HeldChat, deps: ChatLoopDeps): Promise<number> {
  const { terminal } = state;
  let code: number = EXIT.done;
  let interrupted = false;
  for (;;) {
    const typed = await deps.prompts.next();
    if (typed === "end") return code;
    if (typed === "interrupt") {
      if (interrupted || !terminal.interactive) return EXIT.interrupted;
      interrupted = true;
      terminal.warn("Ctrl-C again leaves, and so does /exit");
      continue;
    }
    interrupted = false;
    const command = parseChatCommand(typed.text);
    const next = command
      ? await deps.obey(command).catch((error: unknown) => showProblem(error, state))
      : { prompt: typed.text };
    if (next === "leave") return code;
    if (typeof next === "object" && next.prompt.trim() !== "") {
      const result = await say(next, state, deps);
      interrupted = result.status === "cancelled";
      if (!terminal.interactive) code = runExitCode(result);
    }
  }
}

async function say(said: ChatPrompt, state: HeldChat, deps: ChatLoopDeps): Promise<RunResult> {
  const { terminal } = state;
  const { view, streams } = deps;
  const { result: done } = await interruptible(async (signal) => {
    const run = await deps.send(said, signal);
    await view.follow(run);
    return run.result;
  });
  const result = deps.redact(done);
  state.spent = add(state.spent, result);
  const so = state.spent.prompts > 1 ? { also: `all: ${describeSpent(state.spent)}` } : {};
  showRunResult(result, terminal, { answered: streams, ...so });
  return result;
}

function add({ prompts, usage, cost }: Spent, result: RunResult): Spent {
  return {
    prompts: prompts + 1,
    usage: { input: usage.input + result.usage.input, output: usage.output + result.usage.output },
    cost: cost + result.cost,
  };
}

function showProblem(error: unknown, { terminal }: HeldChat): void {
  const code = error instanceof PegboardError ? error.code : "internal";
  showFailure(terminal, { code, message: messageOf(error) });
}
