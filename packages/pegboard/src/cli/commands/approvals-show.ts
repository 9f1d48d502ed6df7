import { type ApprovalRecord, findApproval } from "../../core/inbox.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { type Terminal, visible } from "../terminal.ts";
import { withLog } from "./log-store.ts";

/** Shows one approval request whole: what would run, to what the answer is bound, and how it stands. */
export async function approvalsShow(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  return withLog(input, async (store) => {
    const approval = await findApproval(store, String(input.arguments[0]));
    terminal.print(options.json ? JSON.stringify(approval, null, 2) : describe(approval, terminal));
    return EXIT.done;
  });
}

// What the tool and its caller say is indented, so that none of it can pass for a line of ours.
function describe(approval: ApprovalRecord, { style }: Terminal): string {
  const { id, tool, status, answer, summary, reason, chain = [], input, digest, session, call } = approval;
  const part = (title: string, text: string) =>
    `${style("dim", title)}\n${visible(text)
      .split("\n")
      .map((line) => `    ${line}`)
      .join("\n")}`;
  const time = (at: number) => new Date(at).toISOString();
  return [
    part("Approval request", id),
    part("Tool", tool),
    part("What it would do", summary),
    part("Why somebody is asked", reason),
    ...(chain.length > 0 ? [part("On behalf of", chain.join(" → "))] : []),
    part("Input", JSON.stringify(input, null, 2)),
    part("Digest of the tool's definition", digest),
    part("Session and call", `${session} ${call ?? ""}`.trimEnd()),
    part("Asked, and expires", `${time(approval.requestedAt)}, ${time(approval.expiresAt)}`),
    part("Status", answer ? `${answer.decision}, by ${answer.by}${answer.note ? `: ${answer.note}` : ""}` : status),
  ].join("\n");
}
