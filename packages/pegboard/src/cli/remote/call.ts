import { PegboardError } from "../../core/error.ts";
import type { Event } from "../../core/event.ts";
import type { CommandInput } from "../command.ts";
import { EXIT, exitCodeOf } from "../exit-code.ts";
import { readInput } from "../input.ts";
import { interruptible } from "../interrupt.ts";
import { describeProgress } from "../progress.ts";
import { showResult } from "../result.ts";
import { visibleLine } from "../terminal.ts";
import { createAnswering } from "./answer-requests.ts";
import { atServer } from "./server.ts";

/** Calls a tool of a server. The exit code says how it went. */
export function callAtServer(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const [asked, pairs] = input.arguments as [string, readonly string[]];
  const { input: whole, session: id } = options as { input?: string; session?: string };
  return atServer(input, async (client, settings) => {
    const session = await client.open(id === undefined ? { as: "user" } : { id });
    try {
      const tools = await session.list({ as: "user" });
      const found = tools.filter(({ name }) => name === asked || name.endsWith(`__${asked}`));
      const tool = found.find(({ name }) => name === asked) ?? found[0];
      if (found.length > 1 && tool?.name !== asked)
        throw new PegboardError(
          "invalid_config",
          `"${asked}" may be any of ${found.map(({ name }) => name).join(", ")}: write the whole name`,
        );
      const value = await readInput(pairs, whole, tool?.inputSchema);
      const answering = createAnswering({ client, settings, terminal });
      const onEvent = (event: Event) => {
        answering(event);
        if (event.type === "call-progress") terminal.note(`… ${visibleLine(describeProgress(event.data))}`);
      };
      const call = crypto.randomUUID();
      const { result } = await interruptible((signal) => {
        // Not left: its outcome is shown.
        signal.addEventListener("abort", () => void session.cancel(call).catch(() => {}));
        return session.call(tool?.name ?? asked, value, { call, as: "user", onEvent });
      });
      showResult(result, terminal, options.json === true);
      return result.error ? exitCodeOf(result.error.code) : EXIT.done;
    } finally {
      if (id === undefined) await session.close().catch(() => {});
    }
  });
}
