import { matchesName } from "./name.ts";

/**
 * Whether a glob covers a path: `*` is anything within a segment, `**` as a segment is any number of segments (at the
 * end, one or more: `notes/**` covers all below `notes`), everything else is itself, case-sensitively. A leading slash
 * means nothing. The time is bounded by the product of both lengths, whatever the glob.
 */
export function matchesPath(glob: string, path: string): boolean {
  const pattern = toSegments(glob);
  const segments = toSegments(path);
  if (pattern.at(-1) === "**") pattern.push("*");

  let at = 0;
  let segment = 0;
  // Where to go on after a mismatch: behind the latest `**`, which then takes one segment more. Going back to an
  // earlier one could not help, which is why no glob makes this explode.
  let latest: { at: number; segment: number } | undefined;
  while (segment < segments.length) {
    if (pattern[at] === "**") {
      latest = { at: ++at, segment };
    } else if (at < pattern.length && matchesName(pattern[at]!, segments[segment]!)) {
      at++;
      segment++;
    } else if (latest !== undefined) {
      at = latest.at;
      segment = ++latest.segment;
    } else {
      return false;
    }
  }
  return pattern.slice(at).every((rest) => rest === "**");
}

function toSegments(text: string): string[] {
  return text.normalize("NFC").split("/").filter(Boolean);
}
