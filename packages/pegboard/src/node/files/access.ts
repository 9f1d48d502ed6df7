import { messageOf } from "../../core/error.ts";
import { withReason, type ReasonedApproval } from "../../core/reasoned-approval.ts";
import { refuse } from "./file-error.ts";
import { hold } from "./held.ts";
import { isReadonly, locate, type Mount, type MountedPlace } from "./mounts.ts";
import type { IsProtected } from "./protected.ts";
import { joinBelow } from "./root.ts";
import type { Seen } from "./seen.ts";
import type { TargetOptions } from "./write-inside.ts";

/** What the file tools work on. */
export interface FileAccess {
  /** As they are now. Throws when there are none any more. */
  mounts(): readonly Mount[];
  readonly isProtected: IsProtected;
  readonly seen: Seen;
}

/** The most of a file that is read or written at once. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

export const PATH = { type: "string", description: "Path of the file, such as /notes/a.md" } as const;

/**
 * The approval of tools that change files. What cannot be is blocked, so that nobody is asked about it; what decides what
 * other programs run is asked about whatever the rules say.
 */
export function approveChange({ mounts, isProtected }: FileAccess) {
  return withReason<{ readonly path: string }>(({ path }): ReasonedApproval => {
    try {
      const place = toWritable(mounts(), path);
      if (!isProtected(place.mount.whole, joinBelow(place.root, place.names)))
        return { approval: "ask", reason: "it can: write" };
      return {
        approval: "ask",
        firm: true,
        reason: `${place.path} can decide what programs run, so it is never changed without asking`,
      };
    } catch (error) {
      return { approval: "blocked", reason: messageOf(error) };
    }
  });
}

/** Where a path leads, if it may be written. Throws `denied` or `invalid_input`. */
export function toWritable(mounts: readonly Mount[], path: string): MountedPlace {
  const place = locate(mounts, path);
  refuseReadonly(place, joinBelow(place.root, place.names));
  return place;
}

/** Refuses what links lead to: what is read-only, and what is protected, for nobody was asked about that by its name. */
export function refuseDetour({ isProtected }: FileAccess, place: MountedPlace): NonNullable<TargetOptions["check"]> {
  const { root, mount, path } = place;
  return (real, names) => {
    refuseReadonly(place, real);
    const named = joinBelow(root, names).normalize("NFC") === real.normalize("NFC");
    if (!named && isProtected(mount.whole, real))
      throw refuse(
        "denied",
        path,
        "a link in it leads to something that is not changed without asking; name that itself",
      );
  };
}

function refuseReadonly({ mount, path }: MountedPlace, real: string): void {
  if (isReadonly(mount, real)) throw refuse("denied", path, "it is mounted read-only");
}

/** What work on a file is queued by: where it really is, if it is there. Never rejects: the work itself will tell. */
export async function turnOf(place: MountedPlace): Promise<string> {
  const held = await hold(place).catch(() => undefined);
  held?.release();
  return held?.real ?? joinBelow(place.root, place.names);
}
