import { nameProblem } from "../../core/name.ts";

/** The tool of an MCP server as we call it, `server__tool`, where both are names; the tool may be a pattern. */
export function toServerTool(server: string, tool: string): string | undefined {
  const isPattern = /^[A-Za-z0-9_-]*\*$/.test(tool);
  if (nameProblem(server) !== undefined || (!isPattern && nameProblem(tool) !== undefined)) return undefined;
  return `${server}__${tool}`;
}
