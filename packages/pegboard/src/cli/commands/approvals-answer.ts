import type { ApprovalAnswer } from "../../core/approval.ts";
import { PegboardError } from "../../core/error.ts";
import type { EventData } from "../../core/event.ts";
import { answerApproval } from "../../core/inbox.ts";
import { isProcessAlive } from "../../node/process-identity.ts";
import { userRedactor } from "../../node/secrets.ts";
import type { Store } from "../../stores/store.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { toSettings } from "../settings.ts";
import { withLog } from "./log-store.ts";

/** Answers an approval request of any process. The first answer counts; a later one is an error. */
export async function approvalsAnswer(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const [id, decision] = input.arguments.map(String) as [string, string];
  const { remember, note } = options as Pick<ApprovalAnswer, "remember" | "note">;
  if (decision !== "allow" && decision !== "deny")
    throw new PegboardError("invalid_config", `The answer must be allow or deny; it is "${decision}"`);
  return withLog(input, async (store) => {
    const written = note === undefined ? undefined : userRedactor(toSettings(options).home.value).text(note);
    const answer = {
      decision,
      ...(remember && { remember }),
      ...(written !== undefined && { note: written }),
    } as const;
    const approval = await answerApproval(store, id, answer, "command line");
    if (options.json) terminal.print(JSON.stringify(approval, null, 2));
    else terminal.print(`Answered ${approval.id}: ${decision}`);
    if (!(await isAwaited(store, approval.session)))
      terminal.note(
        approval.chain
          ? `The process that asked is gone. Its run goes on with: pegboard resume ${approval.session.slice(0, 8)}`
          : "The process that asked is gone: nothing runs now. What is remembered holds for the session's next calls",
      );
    return EXIT.done;
  });
}

async function isAwaited(store: Store, session: string): Promise<boolean> {
  const [start] = await store.read({ session, type: "session-start", last: 1 });
  const { process } = (start?.data ?? {}) as Partial<EventData["session-start"]>;
  return process === undefined || isProcessAlive(process);
}
