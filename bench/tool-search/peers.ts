/** A tool as a ranking sees it. */
export interface Searched {
  readonly name: string;
  readonly description: string;
}

/** Ranks tools for a question: their names, the best first. */
export type Ranking = (question: string) => readonly string[];

/** The plainest ranking: how many of the words of the question stand in name or description. */
export function keywordOverlap(tools: readonly Searched[]): Ranking {
  const texts = tools.map(({ name, description }) => ({ name, text: `${name} ${description}`.toLowerCase() }));
  return (question) => {
    const words = [...new Set(plainWords(question))];
    return rank(texts.map(({ name, text }) => [name, words.filter((word) => text.includes(word)).length] as const));
  };
}

/** BM25 with its usual values on the words as they stand, without other forms of them and other words for them. */
export function plainBm25(tools: readonly Searched[]): Ranking {
  const texts = tools.map(({ name, description }) => ({ name, words: plainWords(`${name} ${description}`) }));
  const average = texts.reduce((sum, { words }) => sum + words.length, 0) / texts.length;
  const having = new Map<string, number>();
  for (const { words } of texts) for (const word of new Set(words)) having.set(word, (having.get(word) ?? 0) + 1);
  const scoreOf = (word: string, words: readonly string[]) => {
    const times = words.filter((one) => one === word).length;
    const rarity = Math.log(1 + (texts.length - (having.get(word) ?? 0) + 0.5) / ((having.get(word) ?? 0) + 0.5));
    return (rarity * times * 2.2) / (times + 1.2 * (0.25 + (0.75 * words.length) / average));
  };
  return (question) => {
    const asked = [...new Set(plainWords(question))];
    return rank(
      texts.map(({ name, words }) => [name, asked.reduce((sum, word) => sum + scoreOf(word, words), 0)] as const),
    );
  };
}

function plainWords(text: string): string[] {
  return text
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1);
}

function rank(scores: readonly (readonly [name: string, score: number])[]): string[] {
  return scores
    .filter(([, score]) => score > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([name]) => name);
}
