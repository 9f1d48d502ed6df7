import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { SessionRecord } from "../../agents/session-records.ts";
import { createSessions } from "../../agents/sessions.ts";
import { PegboardError } from "../../core/error.ts";
import { eventPages } from "../../core/event-pages.ts";
import type { Event } from "../../core/event.ts";
import { writeEvents } from "../../node/event-file.ts";
import { isProcessAlive } from "../../node/process-identity.ts";
import type { Store } from "../../stores/store.ts";
import { agree } from "../agree.ts";
import type { CommandInput } from "../command.ts";
import { EXIT } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";
import { parseAge, parseCount } from "./log-filter.ts";
import { withLog } from "./log-store.ts";

interface PruneOptions {
  readonly olderThan?: string;
  readonly keepLast?: string;
  readonly archive?: string;
  readonly dryRun?: boolean;
}

type SessionSummary = Pick<SessionRecord, "session" | "events" | "lastAt" | "inUse">;

/** What is to go, and what stays although it is old enough. */
interface Plan {
  readonly before: number;
  readonly go: readonly SessionSummary[];
  readonly stay: readonly SessionSummary[];
  readonly inUse: readonly SessionSummary[];
}

/** Takes old sessions out of the log, whole, with their whole results. What somebody may still need stays. */
export async function logPrune(input: CommandInput): Promise<number> {
  const { options, terminal } = input;
  const { archive, dryRun = false } = options as PruneOptions;
  const limits = toLimits(options as PruneOptions);
  if (archive !== undefined && existsSync(archive))
    throw new PegboardError(
      "invalid_config",
      `--archive ${resolve(archive)} is there already: it may hold what an earlier prune took out. Name another file`,
    );
  return withLog(input, async (store) => {
    const plan = toPlan(await summarize(store), limits);
    const { sessions, events } = sizeOf(plan.go);
    const file = archive !== undefined && sessions > 0 ? resolve(archive) : undefined;
    if (dryRun || sessions === 0) {
      say(input, plan, { sessions, events }, { dryRun, archive: undefined });
      return EXIT.done;
    }
    const question = `Take ${sessions} sessions (${events} events) out of the log?`;
    if (!(await agree(input, question, "--yes, or look with --dry-run"))) {
      terminal.note("Nothing was changed");
      return EXIT.refused;
    }
    if (file !== undefined) await writeEvents(file, pagesOf(store, plan.go));
    const pruned = await store.prune({
      before: plan.before,
      keep: [...plan.stay, ...plan.inUse].map(({ session }) => session),
    });
    say(input, plan, pruned, { dryRun, archive: file });
    return EXIT.done;
  });
}

function toLimits({ olderThan, keepLast }: PruneOptions): { readonly before: number; readonly last: number } {
  if (olderThan === undefined && keepLast === undefined)
    throw new PegboardError("invalid_config", "Say what is to go: --older-than 30d, or --keep-last 100, or both");
  return {
    before: Date.now() - (olderThan === undefined ? 0 : parseAge("--older-than", olderThan)),
    last: keepLast === undefined ? 0 : parseCount("--keep-last", keepLast, 0),
  };
}

/** All sessions, the one that was used last at the end. */
async function summarize(store: Store): Promise<readonly SessionSummary[]> {
  const open = (await store.unfinished()).filter(({ type, data }) => type === "execute-start" && !data.again);
  const waited = new Set(open.map(({ session }) => session));
  const sessions = await createSessions({ log: store, isAlive: isProcessAlive }).list();
  return sessions.toReversed().map(({ session, events, lastAt, inUse }) => {
    const why = inUse ?? (waited.has(session) ? "a call has no outcome yet" : undefined);
    return { session, events, lastAt, ...(why !== undefined && { inUse: why }) };
  });
}

function toPlan(sessions: readonly SessionSummary[], { before, last }: { before: number; last: number }): Plan {
  const newest = sessions.slice(sessions.length - Math.min(last, sessions.length));
  const old = sessions.filter((one) => one.lastAt < before && !newest.includes(one));
  return {
    before,
    go: old.filter(({ inUse }) => inUse === undefined),
    stay: newest,
    inUse: old.filter(({ inUse }) => inUse !== undefined),
  };
}

async function* pagesOf(store: Store, sessions: readonly SessionSummary[]): AsyncGenerator<readonly Event[]> {
  const going = new Set(sessions.map(({ session }) => session));
  for await (const page of eventPages(store)) yield page.filter(({ session }) => going.has(session));
}

function sizeOf(sessions: readonly SessionSummary[]): { readonly sessions: number; readonly events: number } {
  return { sessions: sessions.length, events: sessions.reduce((sum, { events }) => sum + events, 0) };
}

function say(
  { options, terminal }: CommandInput,
  { inUse }: Plan,
  pruned: { readonly sessions: number; readonly events: number },
  { dryRun, archive }: { readonly dryRun: boolean; readonly archive: string | undefined },
): void {
  const kept = inUse.map(({ session, inUse: reason }) => ({ session, reason }));
  if (options.json) {
    terminal.print(JSON.stringify({ dryRun, pruned, kept, ...(archive !== undefined && { archive }) }, null, 2));
    return;
  }
  describe(pruned, kept, dryRun, archive, terminal);
}

function describe(
  { sessions, events }: { readonly sessions: number; readonly events: number },
  kept: readonly { readonly session: string; readonly reason: string | undefined }[],
  dryRun: boolean,
  archive: string | undefined,
  terminal: Terminal,
): void {
  terminal.print(
    `${dryRun ? "Would take" : "Took"} ${sessions} ${sessions === 1 ? "session" : "sessions"} (${events} events) out of the log`,
  );
  if (archive !== undefined) terminal.print(`They are in ${archive}`);
  for (const { session, reason } of kept) terminal.print(`Kept session ${session}: ${reason}`);
}
