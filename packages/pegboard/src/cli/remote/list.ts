import type { AnswerOf } from "../../client/index.ts";
import { PegboardError } from "../../core/error.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import type { Listing } from "../listing.ts";
import { toLines } from "../table.ts";
import { type Terminal, visibleLine } from "../terminal.ts";
import { listTools, listToolsets } from "../tool-listing.ts";
import { atServer } from "./server.ts";

const LISTS = ["tools", "toolsets", "agents", "plugins"];

/** Lists what a server has. */
export function listAtServer(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const what = String(input.arguments[0]);
  if (!LISTS.includes(what))
    throw new PegboardError("invalid_config", `A server has no list of "${what}"; it has ${LISTS.join(", ")}`);
  return atServer(input, async (client) => {
    const { json, rows } = await listing();
    if (options.json) terminal.print(JSON.stringify(json, null, 2));
    else for (const line of toLines(rows, terminal.columns)) terminal.print(line);
    return EXIT.done;

    async function listing(): Promise<Listing> {
      if (what === "agents") return listAgents((await client.send("agents.list", {})).agents, terminal);
      if (what === "plugins") return listPlugins((await client.send("plugins.list", {})).plugins, terminal);
      const session = await client.open();
      const tools = await session.list({ as: options["as"] === "model" ? "model" : "user" });
      await session.close();
      return what === "tools" ? listTools(tools, terminal) : listToolsets(tools, terminal);
    }
  });
}

function listAgents(agents: AnswerOf<"agents.list">["agents"], { style }: Terminal): Listing {
  const rows = agents.map(({ name, layer, description }) => [
    { text: visibleLine(name), show: (text: string) => style("bold", text) },
    { text: layer },
    { text: visibleLine(description.split("\n", 1)[0]!), show: (text: string) => style("dim", text) },
  ]);
  return { json: { agents }, rows };
}

function listPlugins(plugins: AnswerOf<"plugins.list">["plugins"], { style }: Terminal): Listing {
  const rows = plugins.map(({ name, version = "", status, reason = "" }) => [
    { text: visibleLine(name), show: (text: string) => style("bold", text) },
    { text: version },
    { text: status },
    { text: visibleLine(reason), show: (text: string) => style("dim", text) },
  ]);
  return { json: { plugins }, rows };
}
