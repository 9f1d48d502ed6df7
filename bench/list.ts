import { createRuntime, Registry } from "pegboard";
import { measure, median, ratio } from "./measure.ts";
import { connectMcp2 } from "./peers/mcp-sdk-2.ts";
import { RULES, toTools } from "./peers/pegboard.ts";
import { type Report, toTime } from "./report.ts";

const TOOLS = 10_000;

/** What it takes to see all tools: in a new session, again, and after a change. */
export async function list(): Promise<Report> {
  const registry = new Registry();
  registry.register(toTools(TOOLS));
  const open = () => createRuntime({ registry, policy: { rules: RULES }, builtins: false });
  const runtime = open();
  const session = runtime.open();
  const { client, server } = await connectMcp2(TOOLS);
  const extra = toTools(TOOLS + 1).at(-1)!;

  const measured = await measure(
    [
      {
        name: "pegboard, in a new runtime",
        async run() {
          const another = open();
          expectTools(another.open().list());
          await another.close();
        },
      },
      {
        name: "pegboard, in a new session",
        async run() {
          const another = runtime.open();
          expectTools(another.list());
          await another.close();
        },
      },
      { name: "pegboard, again", run: () => expectTools(session.list()) },
      {
        name: "pegboard, after one change",
        run() {
          using _ = registry.register(extra);
          expectTools(session.list(), TOOLS + 1);
        },
      },
      { name: "MCP SDK 2, listTools", run: async () => expectTools((await client.listTools()).tools) },
    ],
    { rounds: 7, warmUpMs: 800, roundMs: 100 },
  );
  const [, fresh, again, changed, mcp] = measured;
  await Promise.all([runtime.close(), client.close(), server.close()]);
  return {
    title: `list: ${TOOLS.toLocaleString("en")} tools`,
    table: [["", "time"], ...measured.map(({ name, ns }) => [name, toTime(median(ns))])],
    ratios: [fresh, again, changed].map((ours) => ({
      name: `${ours.name} / ${mcp.name}`,
      value: ratio(ours, mcp),
      target: 0.05,
    })),
    notes: ["After one change: the time to register and to take away the tool is in it."],
  };
}

function expectTools({ length }: readonly unknown[], count = TOOLS): void {
  if (length !== count) throw new Error(`${length} tools are listed instead of ${count}`);
}
