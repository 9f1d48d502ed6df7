import { PegboardError } from "../core/error.ts";
import type { AgentRun } from "./agent-run.ts";

/**
 * Leaves a message of a run at the one that started it, on record. Rejects with `invalid_input` for a run that none
 * started.
 */
export async function tellParent(
  { id, agent, parent }: AgentRun,
  message: string,
  { wakes }: { readonly wakes: boolean },
): Promise<void> {
  if (!parent)
    throw new PegboardError("invalid_input", `No agent started agent "${agent}": there is nobody above it to tell`);
  const kind = wakes ? "Message" : "Progress";
  const text = `${kind} from agent "${agent}" (run ${id}), which you started:\n${message}`;
  const letter = crypto.randomUUID();
  await parent.record("mailbox-change", { letter, text, wakes });
  parent.given.mailbox.post({ text, letter }, { wakes });
}
