/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  below(below: number): number;
  /** A whole number in a range that includes both ends. */
  between(from: number, to: number): number;
  pick<T>(choices: readonly T[]): T;
}

/** Makes a generator. Every seed gives another row of numbers, also seeds that are close to each other. */
export function createRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b9) >>> 0;
  const below = (most: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return Math.floor((((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32) * most);
  };
  return {
    below,
    between: (from, to) => from + below(to - from + 1),
    pick: (choices) => choices[below(choices.length)]!,
  };
}
