import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ApprovalRequest } from "../core/approval.ts";
import type { Event } from "../core/event.ts";
import type { Workspace } from "../node/workspace.ts";
import type { DemoStep, Stage } from "./demo-stage.ts";
import { TEAM_FILES } from "./demo-workspace.ts";
import { describeSpent } from "./run-result.ts";
import { createRunView } from "./run-view.ts";
import type { Terminal } from "./terminal.ts";

/** Lets an agent give work to two others, of which one asks a person and one is judged by a third, and shows the tree. */
export async function runTeam(workspace: Workspace, stage: Stage): Promise<DemoStep> {
  const { folder, say, style } = stage;
  say();
  say(style("bold", "8. Agents give work away: they can do at most what the one above them can"));
  const [first, ...others] = TEAM_FILES;
  say(`  ${first}, which works with ${others.join(", ")}`);
  for (const line of readFileSync(join(folder, first!), "utf8").trimEnd().split("\n")) say(style("dim", `    ${line}`));
  const asked: ApprovalRequest[] = [];
  const terminal = toTerminal(stage);
  const view = createRunView({ terminal, streams: false, waits: false });
  const session = workspace.open({
    client: "demo",
    approver: (request) =>
      view.during(() => {
        asked.push(request);
        terminal.note(`${style("yellow", "?")} ${request.chain.join(" > ")}: ${request.summary} (Ada allows it)`);
        return { decision: "allow", note: "Ada of the demo" };
      }),
  });
  say(`  ${style("cyan", ">")} pegboard run planner "Ada comes to dinner."`);
  const run = session.run("planner", "Ada comes to dinner.");
  await view.follow(run);
  const result = await run.result;
  const { status, text, error } = result;
  say(`  ${error ? style("red", `x ${error.code}: ${error.message}`) : `${style("green", "<")} ${text}`}`);
  say(style("dim", `    all together: ${describeSpent(result)}`));
  const ended = (await workspace.store.read({ session: session.id })).filter(isTaskEnd);
  const tries = ended.map(({ data }) => data.iterations).sort((a, b) => a - b);
  return { step: "agents", ok: status === "completed" && asked.length === 1 && tries.join() === "1,2" };
}

function isTaskEnd(event: Event): event is Extract<Event, { type: "task-end" }> {
  return event.type === "task-end";
}

/** The stage as a terminal: what is said beside results is said there, a step further in. */
function toTerminal({ say, style }: Stage): Terminal {
  const note = (text: string) => say(`    ${text}`);
  return {
    print: note,
    write: note,
    send: async (line) => note(line),
    note,
    warn: note,
    style,
    interactive: false,
    columns: undefined,
    flush: () => Promise.resolve(),
  };
}
