const LONGEST = 64;
const MOST = 1_000;

/**
 * The candidate a person most likely meant by `name`, or nothing when none is near. Case does not count; the first of
 * equally near ones wins. Only the first 1,000 candidates, and names of at most 64 characters, are looked at. `slips` is how
 * many characters may be wrong: one in a short name, one more for every three.
 */
export function nearest(
  name: string,
  candidates: Iterable<string>,
  slips = Math.min(4, Math.ceil(name.length / 3)),
): string | undefined {
  if (name.length === 0 || name.length > LONGEST) return undefined;
  const wanted = name.toLowerCase();
  let limit = slips;
  let best: string | undefined;
  let seen = 0;
  for (const candidate of candidates) {
    if (++seen > MOST) break;
    if (candidate.length > LONGEST || Math.abs(candidate.length - name.length) > limit) continue;
    const distance = distanceOf(wanted, candidate.toLowerCase());
    // A name that shares no character with the other is no slip of it.
    if (distance > limit || distance >= Math.max(name.length, candidate.length)) continue;
    best = candidate;
    limit = distance - 1;
    if (limit < 0) break;
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours that lead from one text to the other. */
function distanceOf(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length]!;
}
