import { type AgentFile, type AgentFileOptions, parseAgentFile } from "../../src/agents/agent-file.ts";

/** What every agent needs, on lines 2 and 3. */
export const HEAD = "name: a\ndescription: d\n";

/** An agent's file with these lines of front matter, the first of them on line 2. */
export function parseLines(lines: string, options?: AgentFileOptions): AgentFile {
  return parseAgentFile(`---\n${lines}\n---\nYou are helpful.\n`, { file: "agents/a.md", ...options });
}

/** What was found in a file: `line severity code` each. */
export function problems({ diagnostics }: Pick<AgentFile, "diagnostics">): string[] {
  return diagnostics.map(({ severity, code, line }) => `${line} ${severity} ${code}`);
}
