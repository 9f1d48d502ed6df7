/** Replaces known texts in a text that comes in pieces. What it holds back is shorter than the longest known text. */
export interface Replacing {
  /** As much of the text so far as no later piece can change. */
  write(piece: string): string;
  /** The rest. */
  end(): string;
}

/** Finds any number of texts in one pass, however many there are (Aho-Corasick): time is linear in what is read. */
export interface TextMatcher {
  /** The length of the shortest text that is looked for. */
  readonly shortest: number;
  /** Starts to replace. Occurrences that overlap become one replacement, that of the first, or of the longest there. */
  replace(): Replacing;
}

interface Run {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** Makes a matcher of texts and what takes their place. No text may be empty. */
export function createTextMatcher(texts: ReadonlyMap<string, string>): TextMatcher {
  const { root, step, open, found, lengths, replacements } = buildTrie(texts);

  return { shortest: Math.min(...lengths), replace };

  function replace(): Replacing {
    let state = root;
    let held = "";
    // Positions count from the beginning of the whole text.
    let heldFrom = 0;
    let position = 0;
    let replacedTo = 0;
    let runs: Run[] = [];

    return {
      write(piece) {
        for (let index = 0; index < piece.length; index++) {
          state = step(state, piece.charCodeAt(index));
          const text = found[state]!;
          if (text >= 0) add(position + index + 1 - lengths[text]!, position + index + 1, replacements[text]!);
        }
        position += piece.length;
        held += piece;
        return release(position - open[state]!);
      },
      end: () => release(position),
    };

    function add(start: number, end: number, replacement: string): void {
      if (start < replacedTo) {
        // Its beginning is out already, and so is everything that it runs over.
        replacedTo = end;
        runs = [];
        return;
      }
      let run: Run = { start, end, replacement };
      for (let last = runs.at(-1); last && last.end > run.start; last = runs.at(-1)) {
        if (last.start < run.start) run = { start: last.start, end, replacement: last.replacement };
        runs.pop();
      }
      runs.push(run);
    }

    /** Lets go of everything before a position: nothing that is still to come reaches back behind it. */
    function release(to: number): string {
      let released = "";
      const settled = runs.findIndex(({ start }) => start >= to);
      for (const { start, end, replacement } of runs.splice(0, settled < 0 ? runs.length : settled)) {
        released += clear(start) + replacement;
        replacedTo = end;
      }
      return released + clear(to);
    }

    function clear(to: number): string {
      const text = held.slice(Math.max(0, replacedTo - heldFrom), to - heldFrom);
      held = held.slice(to - heldFrom);
      heldFrom = to;
      return text;
    }
  }
}

const ROOT = 0;
const ASCII = 128;

/** The texts as a tree, each node with a link to the longest other beginning that it ends with. */
function buildTrie(texts: ReadonlyMap<string, string>) {
  const most = Array.from(texts.keys()).reduce((sum, text) => sum + text.length, 1);
  const unit = new Int32Array(most);
  const firstChild = new Int32Array(most);
  const nextSibling = new Int32Array(most);
  const fallback = new Int32Array(most);
  const depth = new Int32Array(most);
  /** How many of the last characters may be the beginning of a text that is to come. */
  const open = new Int32Array(most);
  /** The longest text that ends at a node; -1 is none. */
  const found = new Int32Array(most).fill(-1);
  let nodes = 1;

  [...texts.keys()].forEach((text, index) => {
    let node = ROOT;
    for (let at = 0; at < text.length; at++)
      node = childOf(node, text.charCodeAt(at)) || grow(node, text.charCodeAt(at));
    found[node] = index;
  });
  const fromRoot = new Int32Array(ASCII).map((_, code) => childOf(ROOT, code));
  link();

  return {
    root: ROOT,
    step,
    open,
    found,
    lengths: Array.from(texts.keys(), ({ length }) => length),
    replacements: [...texts.values()],
  };

  function step(from: number, code: number): number {
    for (let node = from; node !== ROOT; node = fallback[node]!) {
      const child = childOf(node, code);
      if (child !== 0) return child;
    }
    return code < ASCII ? fromRoot[code]! : childOf(ROOT, code);
  }

  function childOf(node: number, code: number): number {
    let child = firstChild[node]!;
    while (child !== 0 && unit[child] !== code) child = nextSibling[child]!;
    return child;
  }

  function grow(parent: number, code: number): number {
    const node = nodes++;
    unit[node] = code;
    depth[node] = depth[parent]! + 1;
    nextSibling[node] = firstChild[parent]!;
    firstChild[parent] = node;
    return node;
  }

  function link(): void {
    const queue = [ROOT];
    for (const node of queue) {
      for (let child = firstChild[node]!; child !== 0; child = nextSibling[child]!) {
        fallback[child] = node === ROOT ? ROOT : step(fallback[node]!, unit[child]!);
        open[child] = firstChild[child] === 0 ? open[fallback[child]!]! : depth[child]!;
        if (found[child]! < 0) found[child] = found[fallback[child]!]!;
        queue.push(child);
      }
    }
  }
}
