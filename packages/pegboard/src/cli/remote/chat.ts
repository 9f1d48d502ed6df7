import type { RemoteSession } from "../../client/index.ts";
import type { Event } from "../../core/event.ts";
import type { RunResult } from "../../core/run-result.ts";
import { type ChatCommand, NOTHING_SPENT } from "../chat-commands.ts";
import { type HeldChat, holdChat } from "../chat-loop.ts";
import type { CommandInput } from "../command.ts";
import { pipedPrompts, typedPrompts } from "../prompt-source.ts";
import { createRunView } from "../run-view.ts";
import { visibleLine } from "../terminal.ts";
import { createAnswering } from "./answer-requests.ts";
import { toRun } from "./remote-run.ts";
import { atServer } from "./server.ts";

/** A conversation at a server, as its commands change it. */
interface RemoteChat extends HeldChat {
  model: string | undefined;
  /** Whether the next prompt begins a new conversation. */
  clean: boolean;
  readonly session: RemoteSession;
}

/** Talks with an agent of a server. */
export function chatAtServer(input: CommandInput): Promise<number> {
  const { terminal, options } = input;
  const agent = String(input.arguments[0]);
  const streams = terminal.columns !== undefined && !options.quiet;
  return atServer(input, async (client, settings) => {
    const view = createRunView({ terminal, streams, waits: false });
    const onEvent = createAnswering({ client, settings, terminal, during: view.during });
    const session = await client.open();
    const model = options["model"] as string | undefined;
    const state: RemoteChat = { terminal, spent: NOTHING_SPENT, model, clean: true, session };
    if (terminal.interactive) terminal.note(`Talking with ${agent}. /help shows what else there is, /exit leaves`);
    using prompts = terminal.interactive ? typedPrompts(`${agent}> `, NOT_KEPT) : pipedPrompts();
    try {
      return await holdChat(state, {
        prompts,
        view,
        streams,
        obey: async (command) => obey(command, state),
        redact: (result) => result,
        send({ prompt }, signal) {
          const cancel = () => void session.cancel().catch(() => {});
          signal.addEventListener("abort", cancel);
          const params = {
            agent,
            prompt,
            ...(state.clean && { continue: null }),
            ...(state.model !== undefined && { model: state.model }),
          };
          state.clean = false;
          const events = client.stream("prompt", params, { session: session.id });
          return toRun(events as AsyncGenerator<Event, RunResult, undefined>, { agent, cancel, onEvent });
        },
      });
    } finally {
      await session.close().catch(() => {});
    }
  });
}

/** What was typed to a server is not kept here. */
const NOT_KEPT = { lines: [], most: 100, keep: () => {} };

const HELP = `/new            begin a new conversation
/model [model]  show or change the model: provider:model, or an alias
/exit           leave`;

function obey({ name, argument }: ChatCommand, state: RemoteChat): "leave" | "stay" {
  const { terminal } = state;
  if (name === "exit") return "leave";
  if (name === "help") terminal.print(HELP);
  else if (name === "new") {
    state.clean = true;
    state.spent = NOTHING_SPENT;
    terminal.note("A new conversation");
  } else if (name === "model") {
    if (argument !== "") state.model = argument;
    terminal.note(`The model: ${state.model === undefined ? "the agent's own" : visibleLine(state.model)}`);
  } else terminal.warn(`There is no /${name} at a server; /help shows what there is`);
  return "stay";
}
