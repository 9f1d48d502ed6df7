import type { ListSessionsResponse } from "@agentclientprotocol/sdk";
import type { SessionRecord } from "../../agents/session-records.ts";
import { PegboardError } from "../../core/error.ts";
import { visible } from "../visible.ts";

/** Which sessions are asked for. */
export interface SessionListOptions {
  readonly principal: string;
  readonly cwd?: string | null | undefined;
  readonly cursor?: string | null | undefined;
}

const PAGE = 100;
const LONGEST = 100;

/** The conversations of a principal, page by page. Throws `invalid_input` for a cursor that was not given out. */
export function listSessions(
  records: readonly SessionRecord[],
  { principal, cwd, cursor }: SessionListOptions,
): ListSessionsResponse {
  const own = records.filter(
    (record) => record.principal === principal && record.runs.length > 0 && (!cwd || record.cwd === cwd),
  );
  const start = cursor ? Number(cursor) : 0;
  if (!Number.isSafeInteger(start) || start < 0)
    throw new PegboardError("invalid_input", `There is no page "${cursor}": send the cursor of the page before`);
  const sessions = own.slice(start, start + PAGE).map(({ session, cwd: folder, runs, lastAt }) => ({
    sessionId: session,
    cwd: folder,
    title: titleOf(runs.at(-1)!.prompt),
    updatedAt: new Date(lastAt).toISOString(),
  }));
  return { sessions, ...(own.length > start + PAGE && { nextCursor: String(start + PAGE) }) };
}

function titleOf(prompt: string): string {
  const line = visible(prompt.trim().split("\n", 1)[0]!);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}
