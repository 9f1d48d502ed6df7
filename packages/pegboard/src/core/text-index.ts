import { alike, wordsAsked, wordsOf } from "./words.ts";

/** Something that can be found: texts of it, each with how much it tells. */
export interface Indexed {
  readonly key: string;
  readonly texts: readonly { readonly text: string; readonly weight: number }[];
  /** Words that tell nothing about it, as `wordsOf` gives them: they are left out. */
  readonly without?: readonly string[];
}

/** How much another word for the one asked for counts, and where nothing has the one asked for. */
const ALIKE = 0.45;
const INSTEAD = 0.7;
/** How much a word counts that only looks like the one asked for. */
const SIMILAR = 0.5;
/** How soon more of the same word stops to count, and how much the length of a text does: the usual values of BM25. */
const SATURATION = 1.2;
const LENGTH = 0.4;

/** Finds texts by the words of a question, best first. No service, no model: the weighted words of BM25. */
export class TextIndex {
  readonly #places = new Map<string, Map<number, number>>();
  readonly #keys: readonly string[];
  readonly #lengths: readonly number[];
  readonly #average: number;

  constructor(documents: readonly Indexed[]) {
    this.#keys = documents.map(({ key }) => key);
    this.#lengths = documents.map((document, at) => this.#add(document, at));
    this.#average = this.#lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, this.#lengths.length);
  }

  /**
   * The keys that fit, the best first, at most so many. Those that fit equally well are in the order they were given. Each
   * counts so many times as `factor` says.
   */
  search(question: string, most: number, factor: (key: string) => number = () => 1): string[] {
    return [...this.#scores(wordsAsked(question))]
      .map(([at, score]) => [at, score * factor(this.#keys[at]!)] as const)
      .sort(([a, high], [b, low]) => low - high || a - b)
      .slice(0, most)
      .map(([at]) => this.#keys[at]!);
  }

  #scores(words: readonly string[]): Map<number, number> {
    const scores = new Map<number, number>();
    const asked = new Set(words);
    for (const word of asked) {
      const best = new Map<number, number>();
      const count = (found: string, share: number) => {
        const places = this.#places.get(found);
        if (!places) return;
        const rarity = Math.log(1 + (this.#keys.length - places.size + 0.5) / (places.size + 0.5));
        for (const [at, weight] of places) {
          const norm = SATURATION * (1 - LENGTH + (LENGTH * this.#lengths[at]!) / this.#average);
          const score = share * rarity * ((weight * (SATURATION + 1)) / (weight + norm));
          best.set(at, Math.max(best.get(at) ?? 0, score));
        }
      };
      count(word, 1);
      const share = this.#places.has(word) ? ALIKE : INSTEAD;
      for (const other of alike(word)) if (!asked.has(other)) count(other, share);
      if (!this.#places.has(word)) for (const other of this.#similar(word)) count(other, SIMILAR);
      for (const [at, score] of best) scores.set(at, (scores.get(at) ?? 0) + score);
    }
    return scores;
  }

  #add({ texts, without = [] }: Indexed, at: number): number {
    let length = 0;
    for (const { text, weight } of texts) {
      for (const word of wordsOf(text)) {
        if (without.includes(word)) continue;
        const places = this.#places.get(word) ?? new Map<number, number>();
        places.set(at, (places.get(at) ?? 0) + weight);
        this.#places.set(word, places);
        length += weight;
      }
    }
    return length;
  }

  /** Known words that begin alike, or that differ by a letter or two that were typed wrongly. */
  #similar(word: string): string[] {
    if (word.length < 4) return [];
    return [...this.#places.keys()].filter(
      (known) =>
        known.length >= 4 && (known.startsWith(word) || word.startsWith(known) || sharedPairs(known, word) > 0.7),
    );
  }
}

/** Which share of the pairs of letters two words have in common. */
function sharedPairs(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 0;
  const pairs = (word: string) => new Set(Array.from({ length: word.length - 1 }, (_, at) => word.slice(at, at + 2)));
  const [first, second] = [pairs(one), pairs(other)];
  const shared = [...first].filter((pair) => second.has(pair)).length;
  return (2 * shared) / (first.size + second.size);
}
