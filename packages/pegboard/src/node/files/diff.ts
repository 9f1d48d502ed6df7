/** The change of a text as a unified diff, and how much it adds and removes. */
export interface Diff {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const MAX_CHARACTERS = 200_000;
const MAX_LINES = 2_000;
/** Beyond so many changed lines the shortest diff is not looked for. */
const MAX_CHANGES = 500;
const CONTEXT = 3;

/**
 * The unified diff between two texts of a file; undefined when one of them is too long to be shown. `from` undefined is a
 * file that was not there. The diff is right always, and the shortest one unless very much has changed.
 */
export function toDiff(from: string | undefined, to: string, path: string): Diff | undefined {
  const before = toLines(from ?? "");
  const after = toLines(to);
  if ((from?.length ?? 0) + to.length > MAX_CHARACTERS || Math.max(before.length, after.length) > MAX_LINES)
    return undefined;
  const steps = toSteps(before, after);
  const hunks = toHunks(steps);
  const head = [`--- ${from === undefined ? "/dev/null" : `a${path}`}`, `+++ b${path}`];
  return {
    text: hunks.length === 0 ? "" : `${[...head, ...hunks].join("\n")}\n`,
    added: steps.filter(({ sign }) => sign === "+").length,
    removed: steps.filter(({ sign }) => sign === "-").length,
  };
}

interface Step {
  readonly sign: " " | "-" | "+";
  readonly line: string;
}

/** Lines with their ends: the last one may have none. */
function toLines(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\n)/);
}

function toSteps(before: readonly string[], after: readonly string[]): Step[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (lines: readonly string[]) => lines.map((line): Step => ({ sign: " ", line }));
  const middle = [before.slice(start, before.length - end), after.slice(start, after.length - end)] as const;
  return [
    ...same(before.slice(0, start)),
    ...(shortest(...middle) ?? exchange(...middle)),
    ...same(before.slice(before.length - end)),
  ];
}

function exchange(before: readonly string[], after: readonly string[]): Step[] {
  return [...before.map((line): Step => ({ sign: "-", line })), ...after.map((line): Step => ({ sign: "+", line }))];
}

/**
 * The shortest way from one list of lines to the other, after Myers: for ever more changes, how far each diagonal gets.
 * Undefined when it takes more changes than are looked for.
 */
function shortest(before: readonly string[], after: readonly string[]): Step[] | undefined {
  const most = Math.min(before.length + after.length, MAX_CHANGES);
  const reach = new Int32Array(2 * most + 3);
  const history: Int32Array[] = [];
  const at = (diagonal: number) => diagonal + most + 1;
  for (let changes = 0; changes <= most; changes++) {
    history.push(reach.slice());
    for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
      const down =
        diagonal === -changes || (diagonal !== changes && reach[at(diagonal - 1)]! < reach[at(diagonal + 1)]!);
      let x = down ? reach[at(diagonal + 1)]! : reach[at(diagonal - 1)]! + 1;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x++;
      reach[at(diagonal)] = x;
      if (x >= before.length && x - diagonal >= after.length) return traceBack(history, before, after, at);
    }
  }
  return undefined;
}

function traceBack(
  history: readonly Int32Array[],
  before: readonly string[],
  after: readonly string[],
  at: (diagonal: number) => number,
): Step[] {
  const steps: Step[] = [];
  let x = before.length;
  let y = after.length;
  for (let changes = history.length - 1; changes >= 0; changes--) {
    const reach = history[changes]!;
    const diagonal = x - y;
    const down = diagonal === -changes || (diagonal !== changes && reach[at(diagonal - 1)]! < reach[at(diagonal + 1)]!);
    const fromX = changes === 0 ? 0 : down ? reach[at(diagonal + 1)]! : reach[at(diagonal - 1)]!;
    const fromY = changes === 0 ? 0 : fromX - (down ? diagonal + 1 : diagonal - 1);
    while (x > fromX && y > fromY) {
      steps.push({ sign: " ", line: before[--x]! });
      y--;
    }
    if (changes > 0) steps.push(down ? { sign: "+", line: after[--y]! } : { sign: "-", line: before[--x]! });
  }
  return steps.reverse();
}

function toHunks(steps: readonly Step[]): string[] {
  const shown: string[] = [];
  const changed = steps.flatMap(({ sign }, index) => (sign === " " ? [] : [index]));
  let first = 0;
  while (first < changed.length) {
    let last = first;
    while (last + 1 < changed.length && changed[last + 1]! - changed[last]! <= 2 * CONTEXT + 1) last++;
    const start = Math.max(0, changed[first]! - CONTEXT);
    const hunk = steps.slice(start, changed[last]! + CONTEXT + 1);
    const [old, young] = (["+", "-"] as const).map((other) => ({
      line: steps.slice(0, start).filter(({ sign }) => sign !== other).length,
      count: hunk.filter(({ sign }) => sign !== other).length,
    }));
    shown.push(`@@ -${range(old!)} +${range(young!)} @@`, ...hunk.map(toText));
    first = last + 1;
  }
  return shown;
}

// An empty range names the line before it.
function range({ line, count }: { line: number; count: number }): string {
  const first = count === 0 ? line : line + 1;
  return count === 1 ? `${first}` : `${first},${count}`;
}

function toText({ sign, line }: Step): string {
  return line.endsWith("\n") ? sign + line.slice(0, -1) : `${sign}${line}\n\\ No newline at end of file`;
}
