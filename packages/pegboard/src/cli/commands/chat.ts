import { PegboardError } from "../../core/error.ts";
import { createChatApproval } from "../chat-approval.ts";
import { type ChatState, NOTHING_SPENT, obeyChatCommand } from "../chat-commands.ts";
import { openChatHistory } from "../chat-history.ts";
import { holdChat } from "../chat-loop.ts";
import type { CommandInput } from "../command.ts";
import { pipedPrompts, typedPrompts } from "../prompt-source.ts";
import { createRunView } from "../run-view.ts";
import { openTrusted } from "../trusted.ts";
import { closeWorkspace } from "../workspace.ts";

/** Talks with an agent: a person at the terminal, or a program that sends one prompt a line. */
export async function chat(input: CommandInput): Promise<number> {
  const { terminal, options } = input;
  const agent = String(input.arguments[0]);
  if (options.json)
    throw new PegboardError(
      "invalid_config",
      "A chat has no --json; pegboard run has, and --continue goes on with a run",
    );
  if (options["server"] !== undefined) return (await import("../remote/chat.ts")).chatAtServer(input);
  const { workspace, settings, tooStrict } = await openTrusted(input, { watch: true });
  try {
    if (tooStrict)
      throw new PegboardError("invalid_definition", `"${agent}" was not run: not everything loaded (--strict)`);
    const entry = await findAgent();
    const streams = terminal.columns !== undefined && !options.quiet && entry.agent.output === undefined;
    const waits = settings.approve.value === "wait";
    const view = createRunView({ terminal, streams, waits });
    const approval = createChatApproval(settings, terminal, view);
    const state: ChatState = {
      agent,
      conversation: workspace.open({ client: "cli", ...approval.options }).chat(agent),
      workspace,
      approval,
      terminal,
      model: options["model"] as string | undefined,
      spent: NOTHING_SPENT,
    };
    if (terminal.interactive) terminal.note(`Talking with ${agent}. /help shows what else there is, /exit leaves`);
    const prompts = terminal.interactive
      ? typedPrompts(`${agent}> `, openChatHistory(workspace.folder, settings.home.value, workspace.redactor))
      : pipedPrompts();
    try {
      return await holdChat(state, {
        prompts,
        view,
        streams,
        send: ({ prompt, ...more }, signal) =>
          state.conversation.send(prompt, {
            signal,
            ...more,
            ...(state.model !== undefined && { model: state.model }),
          }),
        obey: (command) => obeyChatCommand(command, state),
        redact: (result) => workspace.redactor.json(result),
      });
    } finally {
      prompts[Symbol.dispose]();
    }
  } finally {
    await closeWorkspace(workspace, terminal);
  }

  async function findAgent() {
    try {
      return await workspace.agents.resolve(agent);
    } catch (error) {
      // Here it is the command that is wrong.
      if (error instanceof PegboardError && error.code !== "untrusted")
        throw new PegboardError("invalid_config", error.message, { cause: error });
      throw error;
    }
  }
}
