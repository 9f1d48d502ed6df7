import { createInterface } from "node:readline";
import type { Json } from "@pegboard/contract";
import type { Approver } from "../../core/approval.ts";
import { messageOf, PegboardError } from "../../core/error.ts";
import type { Decision, Vote } from "../../core/policy.ts";
import type { Session } from "../../core/session.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { readInput } from "../input.ts";
import { toSettings } from "../settings.ts";
import { type Terminal, visible } from "../terminal.ts";
import { closeWorkspace, openFor } from "../workspace.ts";

/** Says what policy decides about a call, or about each line of a batch. Nothing runs, nobody is asked. */
export async function policyExplain(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const [tool, pairs] = input.arguments as readonly [string | undefined, readonly string[]];
  const { agent, as = agent === undefined ? "user" : "model", batch, input: whole } = options as Options;
  if ((tool === undefined) === (batch === undefined))
    throw new PegboardError("invalid_config", "Name one tool, or read many calls with --batch -");
  const { workspace, tooStrict } = await openFor(input, {
    approver: isAttended(input) ? nobody : undefined,
    readOnly: true,
  });
  try {
    const session = workspace.open({ as, client: "cli", ...(agent !== undefined && { agent: { name: agent } }) });
    if (workspace.held.length > 0) {
      terminal.note(
        `This workspace is not trusted: its tools are judged by their names, and its rules can only tighten. Look at it and run: pegboard trust`,
      );
    }
    if (tool === undefined) return (await explainBatch(session, terminal)) || tooStrict ? EXIT.failed : EXIT.done;
    const value = await readInput(pairs, whole, workspace.tools.find(tool)?.input.json);
    const decision = await session.explain(tool, value);
    terminal.print(
      options.json ? JSON.stringify(toAnswer(tool, decision), null, 2) : describe(tool, decision, terminal),
    );
    return tooStrict ? EXIT.failed : EXIT.done;
  } finally {
    await closeWorkspace(workspace, terminal);
  }
}

interface Options {
  readonly agent?: string;
  readonly as?: "user" | "model";
  readonly batch?: "-";
  readonly input?: string;
}

// Rules may depend on whether somebody is there to be asked; nobody ever is.
const nobody: Approver = () => ({ decision: "deny" });

function isAttended({ options, terminal }: CommandInput): boolean {
  const { approve } = toSettings(options);
  return approve.value === "ask" || (approve.value === undefined && terminal.interactive);
}

/** Answers standard input line by line. Whether a line could not be answered. */
async function explainBatch(session: Session, terminal: Terminal): Promise<boolean> {
  let failed = false;
  let number = 0;
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    number++;
    if (line.trim() === "") continue;
    try {
      const { tool, input, agent } = parseLine(line);
      const decision = await session.explain(
        tool,
        input,
        agent === undefined ? {} : { as: "model", agent: { name: agent } },
      );
      terminal.print(JSON.stringify(toAnswer(tool, decision)));
    } catch (error) {
      failed = true;
      terminal.print(JSON.stringify({ error: { code: "invalid_input", message: messageOf(error) }, line: number }));
    }
  }
  return failed;
}

function parseLine(line: string): { tool: string; input: Json; agent?: string } {
  const { tool, input = {}, agent } = Object(JSON.parse(line)) as { tool?: unknown; input?: Json; agent?: unknown };
  if (typeof tool !== "string" || tool === "")
    throw new PegboardError("invalid_input", `The line needs a "tool": the name of one`);
  if (agent !== undefined && typeof agent !== "string")
    throw new PegboardError("invalid_input", `"agent" must be a name`);
  return { tool, input, ...(agent !== undefined && { agent }) };
}

/** The answer for programs; its fields are fixed. */
function toAnswer(tool: string, { decision, votes, rule, file, line, reason }: Decision) {
  return {
    tool,
    decision,
    votes: votes.map(toShownVote),
    ...(rule !== undefined && { rule }),
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    reason,
  };
}

function toShownVote({ by, approval, rule, file, line, reason }: Vote): Vote {
  return {
    by,
    approval,
    ...(rule !== undefined && { rule }),
    ...(file !== undefined && { file }),
    ...(line !== undefined && { line }),
    ...(reason !== undefined && { reason }),
  };
}

function describe(tool: string, decision: Decision, { style }: Terminal): string {
  const color = { preApproved: "green", ask: "yellow", blocked: "red" } as const;
  const width = Math.max(...decision.votes.map(({ by }) => by.length));
  const votes = decision.votes.map(
    (vote) =>
      `  ${vote.by.padEnd(width)}  ${style(color[vote.approval], vote.approval.padEnd(11))}  ${visible(toWhy(vote))}`,
  );
  return [
    `${style("bold", visible(tool))}: ${style(color[decision.decision], decision.decision)}`,
    `because ${visible(decision.reason)}`,
    ...(decision.rule === undefined ? [] : [`by ${visible(toWhere(decision))}`]),
    "",
    "votes:",
    ...votes,
  ].join("\n");
}

function toWhy(vote: Vote): string {
  const reason = vote.reason ?? "";
  return vote.rule === undefined ? reason : `${toWhere(vote)}${reason && `: ${reason}`}`;
}

function toWhere({ rule, file, line }: Pick<Vote, "rule" | "file" | "line">): string {
  return `the rule ${rule}${file === undefined ? "" : ` (${file}${line === undefined ? "" : `:${line}`})`}`;
}
