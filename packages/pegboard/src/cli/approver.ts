import type { ApprovalAnswer, ApprovalRequest, Approver, Remember } from "../core/approval.ts";
import { PegboardError } from "../core/error.ts";
import { policyFile } from "../node/policy-file.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import type { Settings } from "./settings.ts";
import { type Terminal, visible, visibleLine } from "./terminal.ts";

/**
 * Whoever answers approvals: the person at the terminal, or nobody when there is no terminal or the mode decides. Throws
 * `invalid_config` when asking was demanded and nobody can be asked.
 */
export function toApprover({ approve, home }: Settings, terminal: Terminal): Approver | undefined {
  if (approve.value !== undefined && approve.value !== "ask") return undefined;
  if (terminal.interactive)
    return oneAtATime((request, { signal }) => askPerson(request, policyFile(home.value), terminal, signal));
  if (approve.value === undefined) return undefined;
  throw new PegboardError(
    "invalid_config",
    `${approve.origin} is "ask", but there is no terminal to ask on. Choose "all", "none" or "wait", or leave it out and add a rule to ${policyFile(home.value)}`,
  );
}

interface Choice {
  readonly key: string;
  readonly words: string;
  readonly decision: "allow" | "deny";
  readonly remember: Remember;
}

async function askPerson(
  request: ApprovalRequest,
  rulesFile: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  const { ask } = await import("./ask.ts");
  const choices = choicesFor(request, rulesFile);
  terminal.warn(describeRequest(request, terminal));
  for (const { key, words } of choices) terminal.warn(`  ${terminal.style("bold", key)}  ${words}`);
  const question = `Allow it? [${choices.map(({ key }) => key).join("/")}] `;
  while (!signal.aborted) {
    const answer = await ask(question, signal);
    if (answer === "") break;
    const choice = choices.find(
      ({ key }) => answer === key || (answer === "yes" && key === "y") || (answer === "no" && key === "n"),
    );
    if (choice) return { decision: choice.decision, remember: choice.remember };
    terminal.warn(`"${visibleLine(answer)}" is none of ${choices.map(({ key }) => key).join(", ")}`);
  }
  return { decision: "deny", note: "no answer" };
}

function choicesFor({ options, suggestions, scope = [] }: ApprovalRequest, rulesFile: string): readonly Choice[] {
  // A rule that is narrower than the tool is one for commands.
  const what =
    suggestions === undefined ? "" : ` for what begins with ${suggestions.map((one) => visibleLine(one)).join(" or ")}`;
  const named = scope.map((one) => visibleLine(one)).join(" or ");
  const like = suggestions === undefined ? `what is in ${named}` : `what begins with ${named}`;
  const choices: readonly Choice[] = [
    { key: "y", words: "yes, this once", decision: "allow", remember: "once" },
    { key: "i", words: "yes, and again for the same input in this session", decision: "allow", remember: "input" },
    { key: "s", words: `yes, and again in this session for ${like}`, decision: "allow", remember: "scope" },
    { key: "t", words: "yes, and again for this tool in this session", decision: "allow", remember: "tool" },
    { key: "a", words: `always: adds a rule${what} to ${rulesFile}`, decision: "allow", remember: "rule" },
    { key: "n", words: "no", decision: "deny", remember: "once" },
    { key: "d", words: `never: adds a rule${what} to ${rulesFile}`, decision: "deny", remember: "rule" },
  ];
  return choices.filter(({ remember }) => options.includes(remember));
}

// What the tool says of itself is indented, so that none of it can pass for a line of this question.
function describeRequest(
  { tool, summary, description, reason, chain, input }: ApprovalRequest,
  { style }: Terminal,
): string {
  const part = (title: string, text: string) => `${style("dim", title)}\n${indent(visible(text))}`;
  return [
    `${style("yellow", "?")} ${style("bold", visibleLine(tool))} asks for approval`,
    part("What it would do", summary),
    part("Why you are asked", reason),
    ...(chain.length > 0 ? [part("On behalf of", chain.join(" → "))] : []),
    part("About the tool", description),
    part("Input", JSON.stringify(input, null, 2)),
  ].join("\n");
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `    ${line}`)
    .join("\n");
}
