import type { Findings } from "./field.ts";

/** What other programs run before a model reads the text: `` !`command` ``, a block fenced with `` ```! ``, `!{command}`. */
const SHELL = /(?<![\w!])!(?:`[^`\n]+`|\{[^}\n]+\})|^[ \t]*```!/gm;

/** Reports commands in a text that another program would run as soon as it is used. Here they are text and stay so. */
export function reportInlineShell(body: string, firstLine: number, findings: Findings): void {
  const found = [...body.matchAll(SHELL)];
  const [first] = found;
  if (!first) return;
  const note = `${found.length === 1 ? "a command" : `${found.length} commands`} that would be run elsewhere, and never here`;
  findings.became("text", "unsafe", note);
  findings.add("warning", {
    code: "shell_not_run",
    message: `the text holds ${note}: ${JSON.stringify(first[0].trim().slice(0, 80))}`,
    place: { line: firstLine + body.slice(0, first.index).split("\n").length - 1 },
    fix: "say in words what is to be found out, and let the agent use its tools",
  });
}
