import type { RunPlace } from "../core/own-tools.ts";
import type { AgentRun } from "./agent-run.ts";

/** Where a run is about to be: what its agent brings may narrow what is there, and must not find itself. */
export function toRunPlace({ id, workbench, parent, within }: AgentRun): RunPlace {
  const { session, caller } = workbench;
  const find = (name: string) => (parent ?? workbench).find(name);
  const asking = { ...caller, ...(parent && { kind: "model" as const }), ...(within && { agent: within }) };
  return {
    run: id,
    session,
    find,
    async allows(name, input) {
      const registration = find(name);
      if (!registration) return false;
      return (await workbench.judge(registration, input, asking)).decision === "preApproved";
    },
  };
}
