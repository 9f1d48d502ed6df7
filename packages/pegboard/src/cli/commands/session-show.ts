import type { Message } from "../../core/model.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { withSessions } from "../session-log.ts";
import { type Terminal, visible, visibleLine } from "../terminal.ts";
import { describeTime } from "../time.ts";

/** Shows one session: its runs, what they cost, and the conversation of the last one. */
export async function sessionShow(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const [id] = input.arguments as [string];
  return withSessions(input, async (sessions) => {
    const shown = await sessions.show(id);
    if (options.json) {
      terminal.print(JSON.stringify(shown, null, 2));
      return EXIT.done;
    }
    const { session, status, client, principal, startedAt, lastAt, runs, cost, messages } = shown;
    terminal.print(`${terminal.style("bold", session)} ${status}`);
    terminal.print(
      `${client}, as ${principal}, ${describeTime(startedAt)} to ${describeTime(lastAt)}, $${cost.toFixed(4)}`,
    );
    for (const { run, agent, status: stands, turns, error } of [...runs].reverse())
      terminal.print(`run ${run.slice(0, 8)} ${agent}: ${stands}, ${turns} turns${error ? ` (${error.code})` : ""}`);
    for (const message of messages) describe(message, terminal);
    return EXIT.done;
  });
}

function describe(message: Message, terminal: Terminal): void {
  const say = (who: string, text: string) => terminal.print(`\n${terminal.style("dim", `${who}:`)} ${visible(text)}`);
  if (message.role === "tool")
    for (const { tool, ok, content } of message.results)
      say(
        `${tool}${ok ? "" : " failed"}`,
        content.map((one) => (one.type === "text" ? one.text : `[${one.type}]`)).join(" "),
      );
  else
    for (const part of message.content) {
      if (part.type === "text") say(message.role, part.text);
      if (part.type === "call") say("calls", visibleLine(`${part.tool} ${JSON.stringify(part.input)}`));
      if (part.type === "file") say(message.role, `[${part.name ?? part.mimeType}]`);
    }
}
