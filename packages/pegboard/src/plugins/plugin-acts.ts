import type { ToolContext } from "@pegboard/contract";
import { PegboardError } from "../core/error.ts";
import type { RunResult } from "../core/run-result.ts";
import type { Session } from "../core/session.ts";
import type { PluginActs, RunForPlugin } from "./plugin-host.ts";

/** What a plugin acts with. */
export interface PluginActsDeps {
  /** Opens a session for what the plugin does by itself. */
  open(): Session;
  /** The agent that runs when none is named. */
  readonly agent: string;
  /** Runs an agent for a call, within the limits of whoever called. Rejects with the limit that it would break. */
  ask(
    request: RunForPlugin & { readonly agent: string; readonly prompt: string },
    context: ToolContext,
  ): Promise<Asked>;
  /** Runs an agent for a task that is being validated, at its expense. Rejects when there is no such task, or no budget. */
  askFor(
    task: string,
    request: Omit<RunForPlugin, "task"> & { readonly agent: string; readonly prompt: string },
    signal: AbortSignal,
  ): Promise<Asked>;
}

/** What came of a run. */
type Asked = Pick<RunResult, "text" | "error"> & { readonly status: string };

/** How a plugin acts by itself: in a session of its own, which is opened when it is needed first. */
export function createPluginActs({ open, agent: usual, ask, askFor }: PluginActsDeps): PluginActs {
  let opened: Session | undefined;
  const session = () => (opened ??= open());
  return {
    call: (tool, input, signal) => session().call(tool, input, { signal }),
    async run(prompt, { agent = usual, task, ...options }, signal, context) {
      const result = context
        ? await ask({ agent, prompt, ...options }, context)
        : task === undefined
          ? await session().run(agent, prompt, { ...options, signal }).result
          : await askFor(task, { agent, prompt, ...options }, signal);
      if (result.status === "completed") return result.text;
      const { code = "internal", message = `The run was ${result.status}` } = result.error ?? {};
      throw new PegboardError(code, message);
    },
    close: async () => opened?.close(),
  };
}
