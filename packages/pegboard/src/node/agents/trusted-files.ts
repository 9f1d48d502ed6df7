import type { ReadAgent } from "./read-agents.ts";

/** The files of agents that the person agrees to by trusting a workspace, because they bring code. */
export function trustedAgentFiles(agents: readonly ReadAgent[]): string[] {
  return agents
    .filter(({ layer, imports }) => layer === "project" && imports.length > 0)
    .flatMap(({ file, importedFiles }) => [file, ...importedFiles]);
}
