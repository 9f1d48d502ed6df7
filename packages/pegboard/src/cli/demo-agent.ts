import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Json } from "@pegboard/contract";
import type { Event } from "../core/event.ts";
import type { Workspace } from "../node/workspace.ts";
import { AGENT_FILES } from "./demo-workspace.ts";
import type { DemoStep, Stage } from "./demo-stage.ts";

/** Shows an agent's file and the script of its model, runs it, and shows what its own tool made. */
export async function runAgent(workspace: Workspace, stage: Stage): Promise<DemoStep> {
  const { folder, say, style } = stage;
  say();
  say(style("bold", "7. An agent is a markdown file, and a prompt can be one of its tools"));
  for (const name of AGENT_FILES) {
    say(`  ${name}`);
    for (const line of readFileSync(join(folder, name), "utf8").trimEnd().split("\n")) say(style("dim", `    ${line}`));
  }
  const session = workspace.open({ client: "demo" });
  const run = session.run("packer", "I go to Oslo tomorrow.");
  say(`  ${style("cyan", ">")} pegboard run packer "I go to Oslo tomorrow."`);
  const packed: Json[] = [];
  for await (const event of run) showEvent(event, packed, stage);
  const { status, text, turns, calls, error } = await run.result;
  say(`  ${error ? style("red", `x ${error.code}: ${error.message}`) : `${style("green", "<")} ${text}`}`);
  say(
    style(
      "dim",
      `    ${turns} turns, ${calls} calls; the same file runs on any model: --model google:gemini-2.5-flash`,
    ),
  );
  const list = { umbrella: false, items: ["sunglasses", "a light coat"] };
  return { step: "agent", ok: status === "completed" && isDeepStrictEqual(packed, [list]) };
}

function showEvent({ type, data, chain = [] }: Event, packed: Json[], { say, style }: Stage): void {
  const indent = " ".repeat(2 + 2 * chain.length);
  if (type === "call-start") say(`${indent}${style("cyan", ">")} ${data.tool} ${JSON.stringify(data.input)}`);
  // The answer of a prompt tool did not match its schema.
  if (type === "transcript-change" && data.added)
    say(`${indent}${style("yellow", "!")} not what result_schema asks for: once more`);
  if (type !== "call-end" || "cut" in data.result) return;
  const { structured = null, error } = data.result;
  say(
    `${indent}${error ? style("red", `x ${error.code}`) : style("green", "<")} ${data.tool} ${JSON.stringify(structured)}`,
  );
  if (data.tool === "pack") packed.push(structured);
}
