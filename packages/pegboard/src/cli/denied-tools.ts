import type { Run } from "../core/run.ts";
import { visibleLine } from "./terminal.ts";

/** The tools that a run, or one it started, was not allowed to call, once it has ended. */
export async function deniedTools(run: Run): Promise<readonly string[]> {
  const tools = new Set<string>();
  const executed = new Set<string>();
  for await (const { type, call, data } of run) {
    if (type === "execute-start" && call !== undefined) executed.add(call);
    // A tool may also say of itself that something is denied.
    if (type === "call-end" && data.error?.code === "denied" && !executed.has(call ?? "")) tools.add(data.tool);
  }
  return [...tools].sort();
}

/** How calls could be allowed that were denied because nobody was there to ask. */
export function howToAllow(tools: readonly string[], rulesFile: string): string {
  return `Nobody was there to ask, so calls were denied: ${tools.map(visibleLine).join(", ")}.
Run it in a terminal to be asked, add --approve all to allow everything this once, or add rules to ${rulesFile}:
${tools.map((name) => `    - { tool: ${visibleLine(name)}, approval: preApproved }`).join("\n")}`;
}
