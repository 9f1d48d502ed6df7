import type { Session } from "../core/session.ts";

/** A follower of one call. */
export interface Following {
  /** Resolves after the last report, when the end of the call is on record. Never rejects. */
  readonly done: Promise<void>;
  stop(): void;
}

/** Shows what a call, and the calls it makes, report while they run: everything in the log from `from` to the call's end. */
export function followProgress(
  session: Session,
  { call, from }: { readonly call: string; readonly from: number },
  show: (line: string) => void,
): Following {
  const controller = new AbortController();
  const follow = async () => {
    for await (const event of session.events({ from, signal: controller.signal })) {
      if (event.type === "call-progress") show(describeProgress(event.data));
      if (event.type === "call-end" && event.call === call) return;
    }
  };
  // A log that cannot be read costs the reports, not the call.
  return { done: follow().catch(() => {}), stop: () => controller.abort() };
}

/** A report of a call in one line. */
export function describeProgress({
  message,
  current,
  total,
}: {
  readonly message: string;
  readonly current?: number;
  readonly total?: number;
}): string {
  if (current === undefined) return message;
  return `${message} (${current}${total === undefined ? "" : `/${total}`})`;
}
