import { join, relative, sep } from "node:path";
import { defineTool, type ErrorCode, type Json, type Result } from "@pegboard/contract";
import type { ApprovalRequest } from "../core/approval.ts";
import type { Event } from "../core/event.ts";
import type { Session } from "../core/session.ts";
import type { ToolView } from "../core/tool-view.ts";
import { sqliteStore } from "../node/sqlite.ts";
import { openWorkspace, type Workspace } from "../node/workspace.ts";
import { runAgent } from "./demo-agent.ts";
import type { DemoStep, Stage } from "./demo-stage.ts";
import { runTeam } from "./demo-team.ts";
import { visible } from "./terminal.ts";

/** Tells the story on a real workspace: everything that is said of a call is what the call did. */
export async function tellStory(stage: Stage): Promise<DemoStep[]> {
  const { folder, say, style } = stage;
  const workspace = await openWorkspace(folder, {
    remember: false,
    trust: true,
    home: join(folder, "home"),
    store: sqliteStore(join(folder, ".pegboard", "pegboard.db")),
  });
  try {
    workspace.tools.register(clock);
    const asked: ApprovalRequest[] = [];
    const session = workspace.open({
      client: "demo",
      approver: (request) => {
        asked.push(request);
        say(`  ${style("yellow", "?")} ${request.summary}`);
        say(`    It asks because ${request.reason}. Ada, a script in this demo, allows it.`);
        return { decision: "allow", note: "Ada of the demo" };
      },
    });
    const steps = [
      listTools(session.list(), workspace, stage),
      ...(await callTools(session, stage)),
      await askAda(session, asked, stage),
      await blockDelete(session, stage),
      await refuseInput(session, asked, stage),
    ];
    await session.close();
    const log = showLog(await workspace.store.read({ session: session.id }), steps.length - 1, stage);
    return [...steps, log, await runAgent(workspace, stage), await runTeam(workspace, stage)];
  } finally {
    await workspace.close();
  }
}

const clock = defineTool({
  name: "clock",
  description: "Tells the time",
  input: { type: "object", properties: { zone: { type: "string", default: "UTC" } } },
  capabilities: ["read"],
  execute: ({ zone }) => new Date().toLocaleTimeString("en-GB", { timeZone: zone }),
});

const FORMS: Readonly<Record<string, string>> = {
  clock: "a function of the program: defineTool, register",
  greet: "a file in the tools folder: tools/greet.ts",
  math__add: "a function with its schema: lib/math.ts",
  weather__forecast: "an AI SDK tool, unchanged: lib/weather.ts",
  send_mail: "a host tool, described in pegboard.yaml",
  vfs_read: "built in: virtual files, kept with all their versions",
  read_result: "built in: reads on in a result that was too long",
};

function listTools(tools: readonly ToolView[], { diagnostics }: Workspace, { say, style }: Stage): DemoStep {
  say(style("bold", "1. Six ways to write a tool, one wall to hang it on"));
  for (const { name, approval } of tools) {
    say(
      `  ${name.padEnd(18)}${style(approval === "preApproved" ? "green" : "yellow", approval.padEnd(13))}${style("dim", FORMS[name] ?? "built in")}`,
    );
  }
  const hung = Object.keys(FORMS).every((name) => tools.some((tool) => tool.name === name));
  return { step: "list", ok: hung && diagnostics.length === 0 };
}

async function callTools(session: Session, stage: Stage): Promise<DemoStep[]> {
  stage.say();
  stage.say(stage.style("bold", "2. One way to call them all"));
  const calls: readonly { readonly tool: string; readonly input: Json; told(result: Result): boolean }[] = [
    { tool: "clock", input: { zone: "Asia/Tokyo" }, told: (result) => /\d\d:\d\d/.test(textOf(result)) },
    { tool: "greet", input: { name: "Ada" }, told: (result) => textOf(result).includes("Ada") },
    { tool: "math__add", input: { a: 19, b: 23 }, told: ({ structured }) => structured === 19 + 23 },
    { tool: "weather__forecast", input: { city: "Oslo" }, told: (result) => textOf(result).includes("Oslo") },
    { tool: "vfs_write", input: { path: "notes/today.md", content: "Bring no umbrella." }, told: ({ ok }) => ok },
    { tool: "vfs_read", input: { path: "notes/today.md" }, told: (result) => textOf(result) === "Bring no umbrella." },
  ];
  const steps: DemoStep[] = [];
  for (const { tool, input, told } of calls) {
    const result = await showCall(session, tool, input, stage);
    steps.push({ step: tool, ok: result.ok && told(result) });
  }
  return steps;
}

async function askAda(session: Session, asked: readonly ApprovalRequest[], stage: Stage): Promise<DemoStep> {
  stage.say();
  stage.say(stage.style("bold", "3. What has effects asks first"));
  const result = await showCall(session, "send_mail", { to: "ada@example.com", text: "Bring no umbrella." }, stage);
  return { step: "ask", ok: result.ok && asked.length === 1 };
}

async function blockDelete(session: Session, stage: Stage): Promise<DemoStep> {
  stage.say();
  stage.say(stage.style("bold", "4. What a rule blocks is not listed, never runs, and nobody is asked"));
  const result = await showCall(session, "vfs_delete", { path: "notes/today.md" }, stage);
  const { file, line } = await session.explain("vfs_delete", { path: "notes/today.md" });
  return { step: "blocked", ok: failedWith(result, "blocked") && result.error!.message.includes(`${file}:${line}`) };
}

async function refuseInput(session: Session, asked: readonly ApprovalRequest[], stage: Stage): Promise<DemoStep> {
  stage.say();
  stage.say(stage.style("bold", "5. A wrong input gets every problem at once, and reaches nobody"));
  const before = asked.length;
  const result = await showCall(session, "math__add", { a: "nineteen", c: 23 }, stage);
  const problems = result.error?.details;
  return {
    step: "invalid_input",
    ok:
      failedWith(result, "invalid_input") && Array.isArray(problems) && problems.length > 1 && asked.length === before,
  };
}

function showLog(events: readonly Event[], made: number, { say, style, folder }: Stage): DemoStep {
  say();
  say(style("bold", "6. One log of it all"));
  say(
    `  ${events.length} events, read back from ${relative(folder, join(folder, ".pegboard", "pegboard.db"))} (SQLite), call by call:`,
  );
  const calls = Map.groupBy(
    events.filter(({ call }) => call !== undefined),
    ({ call }) => call!,
  );
  for (const [, ofCall] of calls) {
    const end = ofCall.find(({ type }) => type === "call-end") as Extract<Event, { type: "call-end" }> | undefined;
    const outcome = end === undefined ? "no end" : end.data.ok ? "ok" : end.data.error!.code;
    say(
      `  ${String(ofCall[0]!.seq).padStart(3)}  ${(end?.data.tool ?? "").padEnd(18)}${style(end?.data.ok ? "green" : "red", outcome.padEnd(15))}${style("dim", ofCall.map(({ type }) => type).join(" → "))}`,
    );
  }
  const ended = Array.from(calls.values()).every((ofCall) => ofCall.at(-1)!.type === "call-end");
  return { step: "log", ok: calls.size === made && ended && events.every(({ seq }, index) => seq === index + 1) };
}

async function showCall(session: Session, tool: string, input: Json, { say, style, folder }: Stage): Promise<Result> {
  say(`  ${style("cyan", ">")} ${tool} ${JSON.stringify(input)}`);
  const result = await session.call(tool, input);
  const [first = "", ...more] = visible(textOf(result)).replaceAll(`${folder}${sep}`, "").split("\n");
  say(
    `  ${result.ok ? style("green", "<") : style("red", "x")} ${result.error ? `${style("red", result.error.code)}: ` : ""}${first}`,
  );
  for (const line of more) say(`    ${line}`);
  return result;
}

function textOf({ content }: Result): string {
  return content.flatMap((block) => (block.type === "text" ? block.text : [])).join("\n");
}

function failedWith({ error }: Result, code: ErrorCode): boolean {
  return error?.code === code;
}
