import { type AuditReport, verifyLog } from "../../node/audit.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import { type Terminal, visibleLine } from "../terminal.ts";
import { logFile } from "./log-store.ts";

/** Verifies the workspace's log and names the first bad record. Needs no trust: nothing of the workspace runs. */
export async function auditVerify({ options, terminal }: CommandInput): Promise<number> {
  const report = await verifyLog(logFile(options));
  terminal.print(options.json ? JSON.stringify(report, null, 2) : describe(report, terminal));
  return report.ok ? EXIT.done : EXIT.failed;
}

function describe({ records, sessions, head, problem }: AuditReport, { style }: Terminal): string {
  if (!problem) {
    const uncovered = records - (head?.position ?? 0);
    const newer = uncovered > 0 ? `; the newest ${uncovered} are not covered by the head on record yet` : "";
    const upTo = head ? `, up to ${head.hash}` : "";
    return `${style("green", "ok")}: ${count(records, "record")} of ${count(sessions, "session")} verified${upTo}${newer}`;
  }
  const { position, session, seq, message } = problem;
  const where = session === undefined ? "" : ` (event ${seq} of session ${visibleLine(session)})`;
  return `${style("red", "bad")}: record ${position}${where}: ${visibleLine(message)}\n${count(records, "record")} before it verified`;
}

function count(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun}s`}`;
}
