import { messageOf, PegboardError } from "../core/error.ts";
import type { RunResult } from "../core/run-result.ts";
import { type ChatPrompt, type ChatState, obeyChatCommand, parseChatCommand, type Spent } from "./chat-commands.ts";
import { EXIT } from "./exit-code.ts";
import { showFailure } from "./failure.ts";
import { interruptible } from "./interrupt.ts";
import type { PromptSource } from "./prompt-source.ts";
import { describeSpent, runExitCode, showRunResult } from "./run-result.ts";
import type { RunView } from "./run-view.ts";

/** What a chat is held with, besides its state. */
export interface ChatLoopDeps {
  readonly prompts: PromptSource;
  readonly view: RunView;
  /** Whether answers are shown as they come. */
  readonly streams: boolean;
}

/**
 * Takes prompts and commands until somebody leaves. Resolves to the exit code: how the last prompt went where a program
 * talks, and that Ctrl-C was pressed twice.
 */
export async function holdChat(state: ChatState, deps: ChatLoopDeps): Promise<number> {
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
      ? await obeyChatCommand(command, state).catch((error: unknown) => showProblem(error, state))
      : { prompt: typed.text };
    if (next === "leave") return code;
    if (typeof next === "object" && next.prompt.trim() !== "") {
      const result = await say(next, state, deps);
      interrupted = result.status === "cancelled";
      if (!terminal.interactive) code = runExitCode(result);
    }
  }
}

async function say(said: ChatPrompt, state: ChatState, { view, streams }: ChatLoopDeps): Promise<RunResult> {
  const { conversation, model, terminal, workspace } = state;
  const { prompt, ...more } = said;
  const { result: done } = await interruptible(async (signal) => {
    const run = await conversation.send(prompt, { signal, ...more, ...(model !== undefined && { model }) });
    await view.follow(run);
    return run.result;
  });
  const result = workspace.redactor.json(done);
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

function showProblem(error: unknown, { terminal }: ChatState): void {
  const code = error instanceof PegboardError ? error.code : "internal";
  showFailure(terminal, { code, message: messageOf(error) });
}
